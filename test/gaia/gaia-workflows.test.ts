import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needProgram } from "../../packages/server/src/domain/testing/machine.ts";
import { runInHost } from "../e2e/command-host.ts";
import { startHoldfast } from "../e2e/holdfast-process.ts";
import { isLongRun } from "../machine/repeat.ts";

const SCRIPTS = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".sh"));
const BIN = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** `holdfast` as it is installed. */
const INSTALLED = `holdfast() { "$NODE" "$BIN" "$@"; }`;
/**
 * The same program in a process that runs the commands of all scripts; hooks end theirs. The answer is the exit
 * code and the files with what the command has printed.
 */
const SHARED = `holdfast() {
  if [ "$1" = hook ]; then "$NODE" "$BIN" "$@"; return; fi
  local code stdout stderr
  exec 3<>"/dev/tcp/127.0.0.1/$COMMANDS"
  printf '%s\\0' "$PWD" "$#" "$@" >&3
  read -r code stdout stderr <&3
  exec 3>&-
  cat "$stdout" || true
  cat "$stderr" >&2
  return "$code"
}`;
/** And one way to look into JSON. */
const PRELUDE = `set -euo pipefail
${isLongRun ? INSTALLED : SHARED}
field() { "$NODE" -e '
  const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const found = new Function("value", "return value" + process.argv[1])(value);
  console.log(process.argv[2] === "--json" ? JSON.stringify(found) : String(found));
' "$@"; }
`;

let folders: string;
let commands: Server;
beforeAll(async () => {
  needProgram("bash");
  folders = mkdtempSync(path.join(tmpdir(), "holdfast-gaia-"));
  commands = createServer((socket) => void answer(socket));
  await new Promise<void>((resolve) => commands.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  commands.close();
  rmSync(folders, { recursive: true, force: true });
});

describe.concurrent.each(["straight on the database", "through a running server"])(
  "GAIA's documented workflows, %s",
  (way) => {
    it.each(SCRIPTS)("%s runs as it is written (B1, B2, B3, rulings 13 and 22)", async (script) => {
      const folder = mkdtempSync(path.join(folders, "workflow-"));
      const server =
        way === "through a running server"
          ? await startHoldfast({ data: path.join(folder, "data") })
          : null;
      try {
        expect(await run(script, folder)).toEqual({ code: 0, stderr: "" });
      } finally {
        await server?.end("SIGTERM");
      }
    });
  },
);

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: folder,
    HOLDFAST_DATA: path.join(folder, "data"),
  };
}

/** Told with the line that failed. */
function run(script: string, folder: string): Promise<{ code: number | null; stderr: string }> {
  const source = `${PRELUDE}trap 'echo "${script}: $BASH_COMMAND" >&2' ERR\nsource "$SCRIPT"`;
  const address = commands.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const child = spawn("bash", ["-c", source], {
    cwd: folder,
    env: {
      ...environment(folder),
      NODE: process.execPath,
      BIN,
      COMMANDS: String(port),
      SCRIPT: path.join(import.meta.dirname, script),
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

/** Runs the command that a script asks for. */
async function answer(socket: Socket): Promise<void> {
  let asked = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    asked += String(chunk);
    const [folder = "", count, ...args] = asked.split("\0").slice(0, -1);
    if (count === undefined || args.length < Number(count)) continue;
    const env = environment(folder);
    const { code, stdout, stderr } = await runInHost({ args, env, input: "", folder });
    const output = mkdtempSync(path.join(folders, "output-"));
    const files = Object.entries({ stdout, stderr }).map(([name, text]) => {
      const file = path.join(output, name);
      writeFileSync(file, text);
      return file;
    });
    socket.end(`${[code, ...files].join(" ")}\n`);
  }
}
