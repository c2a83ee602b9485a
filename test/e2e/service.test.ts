import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import {
  holdfast,
  prepareFolder,
  removeFolder,
  startHoldfast,
  type ProcessResult,
} from "./holdfast-process.ts";

/** systemctl that writes its calls to a file. The service is active between `restart` and `disable`. */
const SYSTEMCTL = `#!/bin/sh
here=$(dirname "$0")
echo "$*" >> "$here/calls"
case "$2" in
  restart) touch "$here/active" ;;
  disable) rm -f "$here/active" ;;
  is-active) test -e "$here/active" ;;
esac
`;

let folder: string;
let data: string;
let root: string;
let programs: string;
let unit: string;
beforeEach(() => {
  need(process.platform === "linux" ? null : "systemd is only on Linux");
  ({ folder, data, root } = prepareFolder({}));
  programs = path.join(folder, "programs");
  unit = path.join(folder, "config", "systemd", "user", "holdfast.service");
  mkdirSync(programs);
  writeFileSync(path.join(programs, "systemctl"), SYSTEMCTL);
  chmodSync(path.join(programs, "systemctl"), 0o755);
});
afterEach(() => removeFolder(folder));

async function service(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  return holdfast(["service", ...args], {
    PATH: `${programs}:${process.env["PATH"]}`,
    XDG_CONFIG_HOME: path.join(folder, "config"),
    AGENT_WORKSPACE_ROOT: root,
    ...env,
  });
}

/** What was typed into systemctl since the last call of this function. */
function calls(): readonly string[] {
  const file = path.join(programs, "calls");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  rmSync(file, { force: true });
  return lines.filter((line) => !/show-environment|is-active/u.test(line));
}

describe("holdfast service", () => {
  it("installs, starts, shows and uninstalls a service with the settings of the shell", async () => {
    expect(await service(["status"])).toMatchObject({
      code: 1,
      stdout: "No service is installed.\n",
    });
    const installed = await service(["install", "--data", data, "--port", "4700"], {
      HOLDFAST_TOKEN: "t0ken",
    });
    expect(installed).toEqual({
      code: 0,
      stdout: `Installed ${unit} and started the service.\n`,
      stderr: "",
    });
    expect(calls()).toEqual([
      "--user daemon-reload",
      "--user enable holdfast.service",
      "--user restart holdfast.service",
    ]);
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    const text = readFileSync(unit, "utf8");
    expect(text).toContain(`"serve" "--data" "${data}" "--port" "4700"\n`);
    expect(text).toContain('Environment="HOLDFAST_TOKEN=t0ken"\n');
    expect(text).toContain(`Environment="AGENT_WORKSPACE_ROOT=${root}"\n`);
    expect(text).toContain(`Environment="PATH=${programs}:`);
    const { code, stdout } = await service(["status", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      { jsonVersion: 1, manager: "systemd", file: unit, installed: true, active: true },
    ]);
    expect(await service(["uninstall"])).toMatchObject({ code: 0, stdout: `Removed ${unit}.\n` });
    expect(calls()).toEqual(["--user disable --now holdfast.service", "--user daemon-reload"]);
    expect(existsSync(unit)).toBe(false);
    expect(await service(["uninstall"])).toMatchObject({
      code: 0,
      stdout: "No service is installed.\n",
    });
  });

  it("prints the file without writing it", async () => {
    const { code, stdout } = await service(["install", "--print", "--data", data]);
    expect([code, stdout.startsWith("[Unit]\n")]).toEqual([0, true]);
    expect([existsSync(unit), calls()]).toEqual([false, []]);
  });

  it("prints the commands to type where systemd cannot be reached", async () => {
    writeFileSync(path.join(programs, "systemctl"), "#!/bin/sh\nexit 1\n");
    const { code, stdout } = await service(["install", "--data", data]);
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(1)).toEqual([
      "  systemctl --user daemon-reload",
      "  systemctl --user enable holdfast.service",
      "  systemctl --user restart holdfast.service",
      "",
    ]);
    expect(existsSync(unit)).toBe(true);
    expect(await service(["status"])).toMatchObject({ code: 1 });
    const removed = await service(["uninstall"]);
    expect(removed).toMatchObject({ code: 0, stdout: `Removed ${unit}.\n` });
    expect(removed.stderr).toContain("systemd cannot be reached");
  });

  it("is refused for bad settings, and while another server uses the data folder", async () => {
    expect(await service(["install", "--data", data, "--port", "x"])).toMatchObject({ code: 64 });
    const server = await startHoldfast({ data });
    const refused = await service(["install", "--data", data]);
    await server.end("SIGTERM");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`pid ${server.pid}`);
    expect([existsSync(unit), calls()]).toEqual([false, []]);
  });
});
