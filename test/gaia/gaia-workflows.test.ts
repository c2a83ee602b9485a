import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { startHoldfast } from "../e2e/holdfast-process.ts";
import { openCommandProxy, type CommandProxy } from "./command-proxy.ts";

const SCRIPTS = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".sh"));

const PRELUDE = `set -euo pipefail
holdfast() { "$PROGRAM" "$FILE" "$@"; }
`;

let folders: string;
let commandProxy: CommandProxy;
beforeAll(async () => {
  needProgram("bash");
  folders = mkdtempSync(path.join(tmpdir(), "holdfast-gaia-"));
  commandProxy = await openCommandProxy();
});
afterAll(() => {
  commandProxy.close();
  rmSync(folders, { recursive: true, force: true });
});

/** In everyday runs, each script runs in one of the two ways. */
const WAYS = ["directly on the database", "through a running server"].map((access, turn) => ({
  access,
  scripts: repeat({ short: SCRIPTS.filter((_, index) => index % 2 === turn), long: SCRIPTS }),
}));

describe.concurrent.each(WAYS)("GAIA's documented workflows, $access", ({ access, scripts }) => {
  it.each(scripts)("%s runs as it is written (B1, B2, B3, rulings 13 and 22)", async (script) => {
    const folder = mkdtempSync(path.join(folders, "workflow-"));
    const server =
      access === "through a running server"
        ? await startHoldfast({ data: path.join(folder, "data") })
        : null;
    try {
      expect(await run(script, folder)).toEqual({ code: 0, stderr: "" });
    } finally {
      await server?.end("SIGTERM");
    }
  });
});

/** Prints the failing command on stderr, and what the last hook answered and logged. */
function run(script: string, folder: string): Promise<{ code: number | null; stderr: string }> {
  const source = `${PRELUDE}${commandProxy.field}\ntrap 'echo "${script}: $BASH_COMMAND" >&2; cat answer.json >&2; tail -n 1 data/logs/hooks.log >&2' ERR\nsource "$SCRIPT"`;
  const [program, file] = commandProxy.command;
  const child = spawn("bash", ["-c", source], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      PROGRAM: program,
      FILE: file,
      SCRIPT: path.join(import.meta.dirname, script),
      HOLDFAST_DATA: path.join(folder, "data"),
    },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 280_000,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stderr }));
  });
}
