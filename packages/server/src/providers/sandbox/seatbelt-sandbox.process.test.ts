import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import { serveHttp, SERVICE } from "../network/testing/network-world.ts";
import { openAgentRig, promptOf } from "../testing/agent-rig.ts";
import { shell } from "../testing/script.ts";
import { openSandbox } from "./sandbox.ts";

/** Starts the command as it is, and keeps the profile: the program exists only on macOS. */
async function openMac(folder: string) {
  const program = path.join(folder, "sandbox-exec");
  const script = `#!/bin/sh\ntest "$1" = -p || exit 1\nprintf '%s' "$2" > ${folder}/profile\nshift 2\nexec "$@"\n`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return openSandbox({
    mode: "required",
    platform: "darwin",
    environment: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` },
    dataFolder: path.join(folder, "data"),
  });
}

it("an agent on macOS gets a profile, folders for temporary files, and a proxy with a password", async () => {
  needProgram("curl");
  const { folder } = openAgentRig();
  const sandbox = await openMac(folder);
  expect(sandbox.state).toEqual({ mode: "required", active: true, reason: null });
  const [local, other] = [await serveHttp(), await serveHttp()];
  const network = { local: [`localhost:${local}`] };
  const rig = openAgentRig({ definition: { network }, provider: { sandbox } });
  const agent = await rig.start();
  const ask = `curl -s -o /dev/null -w '%{http_code} ' --noproxy ''`;
  const stranger = `-x "http://\${HTTPS_PROXY#*@}"`;
  await agent.prompt(
    promptOf(
      shell(
        [
          `${ask} http://localhost:${local}/`,
          `${ask} http://localhost:${other}/`,
          `${ask} ${stranger} http://localhost:${local}/`,
          `${ask} -p http://localhost:${local}/`,
          `curl -s --noproxy '' -p http://localhost:${local}/`,
          `echo "|$TMPDIR|$(ls -ld "$TMPDIR" | cut -c1-10)|"`,
        ].join("\n"),
      ),
    ),
  );
  const [codes, temporary = "", mode] = rig.text().split("|");
  expect([codes, mode]).toEqual([`200 403 407 200 ${SERVICE}`, "drwx------"]);
  const profile = readFileSync(path.join(folder, "profile"), "utf8");
  expect(profile).toContain(`(allow file-read* file-write* (subpath "${temporary}"))`);
  expect(profile).toContain(`(allow network-outbound (remote ip "localhost:${local}"))`);
  expect(profile).not.toContain(String(other));
  await agent.stop();
  expect(existsSync(temporary)).toBe(false);
});

it("macOS has no sandbox unless it is required", async () => {
  const { folder } = openAgentRig();
  const { state } = await openSandbox({
    mode: "auto",
    platform: "darwin",
    environment: process.env,
    dataFolder: folder,
    containments: ["marker"],
  });
  expect(state).toEqual({
    mode: "auto",
    active: false,
    reason:
      'On macOS the sandbox is experimental and must be turned on with "sandbox": "required".',
  });
});
