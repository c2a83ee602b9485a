import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { startHoldfast, type RunningServer } from "../e2e/holdfast-process.ts";

const SCRIPTS = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".sh"));
const BIN = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** `holdfast` as it is installed, and one way to look into JSON. */
const PRELUDE = `set -euo pipefail
holdfast() { "$NODE" "$BIN" "$@"; }
field() { "$NODE" -e '
  const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const found = new Function("value", "return value" + process.argv[1])(value);
  console.log(process.argv[2] === "--json" ? JSON.stringify(found) : String(found));
' "$@"; }
`;

beforeAll(() => needProgram("bash"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-gaia-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(["straight on the database", "through a running server"])(
  "GAIA's documented workflows, %s",
  (way) => {
    let server: RunningServer | null = null;
    beforeEach(async () => {
      if (way === "through a running server")
        server = await startHoldfast({ data: path.join(folder, "data") });
    });
    afterEach(async () => {
      await server?.end("SIGTERM");
      server = null;
    });

    it.each(SCRIPTS)("%s runs as it is written (B1, B2, B3, rulings 13 and 22)", async (script) => {
      expect(await run(script)).toEqual({ code: 0, stderr: "" });
    });
  },
);

/** Told with the line that failed. */
function run(script: string): Promise<{ code: number | null; stderr: string }> {
  const source = `${PRELUDE}trap 'echo "${script}: $BASH_COMMAND" >&2' ERR\nsource "$SCRIPT"`;
  const child = spawn("bash", ["-c", source], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      NODE: process.execPath,
      BIN,
      SCRIPT: path.join(import.meta.dirname, script),
      HOLDFAST_DATA: path.join(folder, "data"),
    },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 110_000,
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stderr }));
  });
}
