import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import { launchdAgent, systemdUnit } from "./service-file.ts";

/** Everything that systemd or XML could understand in another way. */
const STRANGE = `a b "c" 'd' $HOME \${e} %h \\ & <f> é`;

it("systemd accepts the unit and finds the program in a folder with a strange name", () => {
  needProgram("systemd-analyze", "systemd");
  const parent = mkdtempSync(path.join(tmpdir(), "holdfast-unit-"));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  // systemd accepts no quotes in the path of a program.
  const folder = path.join(parent, "a b $HOME ${e} %h & é");
  mkdirSync(folder);
  const program = path.join(folder, "node");
  symlinkSync(process.execPath, program);
  const verify = (command: string): { status: number | null; errors: readonly string[] } => {
    const unit = path.join(parent, "holdfast.service");
    const text = systemdUnit({
      command: [command, STRANGE],
      folder,
      environment: { STRANGE },
      outputFile: "",
    });
    writeFileSync(unit, text);
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", unit], {
      encoding: "utf8",
    });
    return {
      status,
      errors: stderr
        .split("\n")
        .filter((line) => line.includes(unit) || line.includes("holdfast.service")),
    };
  };
  expect(verify(program)).toEqual({ status: 0, errors: [] });
  expect(verify(`${program}-missing`).status).not.toBe(0);
});

it("a unit of systemd quotes arguments and variables", () => {
  const text = systemdUnit({
    command: ["/usr/bin/node", "/opt/my programs/holdfast.js", "serve", "--data", `/x "$y" 100%\\`],
    folder: "/home/me/my projects 100%",
    environment: { PATH: "/usr/bin:/my bin", HOLDFAST_TOKEN: `a"b$c%d` },
    outputFile: "/unused",
  });
  const lines = text.split("\n");
  expect(lines).toContain("WorkingDirectory=/home/me/my projects 100%%");
  expect(lines).toContain(`Environment="PATH=/usr/bin:/my bin"`);
  expect(lines).toContain(String.raw`Environment="HOLDFAST_TOKEN=a\"b$c%%d"`);
  expect(lines).toContain(
    String.raw`ExecStart="/usr/bin/node" "/opt/my programs/holdfast.js" "serve" "--data" "/x \"$$y\" 100%%\\"`,
  );
});

it("an agent of launchd contains the same texts, which an XML parser reads back", () => {
  needProgram("python3");
  const text = launchdAgent({
    command: ["/usr/bin/node", STRANGE],
    folder: `/home/${STRANGE}`,
    environment: { STRANGE },
    outputFile: "/data/logs/server.out",
  });
  const program =
    "import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
  const { stdout } = spawnSync("python3", ["-c", program], { input: text, encoding: "utf8" });
  expect(JSON.parse(stdout)).toEqual({
    Label: "holdfast.server",
    ProgramArguments: ["/usr/bin/node", STRANGE],
    WorkingDirectory: `/home/${STRANGE}`,
    EnvironmentVariables: { STRANGE },
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ExitTimeOut: 30,
    StandardOutPath: "/data/logs/server.out",
    StandardErrorPath: "/data/logs/server.out",
  });
});
