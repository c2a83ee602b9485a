import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInNewContext } from "node:vm";
import { runInHost } from "../e2e/command-host.ts";
import { isLongRun } from "../../packages/server/src/domain/testing/repeat.ts";

const BIN = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** The command with which scripts and other programs call `holdfast`. */
export interface CommandProxy {
  /** The words of the command before its arguments. */
  readonly command: readonly string[];
  /** Defines the shell function `field`, which prints a field of the JSON on its stdin. */
  readonly field: string;
  close(): void;
}

/**
 * In long runs, the installed program with one process per command. In everyday runs, a small shell script that
 * forwards the command to the shared process of this test file.
 */
export async function openCommandProxy(): Promise<CommandProxy> {
  if (isLongRun)
    return { command: [process.execPath, BIN], field: FIELD_BY_PROCESS, close: () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-command-"));
  const server = createServer((socket) => {
    handle(socket, folder).catch((error: unknown) => socket.destroy(new Error(String(error))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");
  const file = path.join(folder, "holdfast.sh");
  writeFileSync(file, shellScript(address.port));
  return {
    command: ["bash", file],
    field: `field() { bash '${file}' ${FIELD} "$(cat)" "$@"; }`,
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const FIELD = "--field";
const FIELD_BY_PROCESS = `field() { '${process.execPath}' -e '
  const value = JSON.parse(require("fs").readFileSync(0, "utf8"));
  const result = new Function("value", "return value" + process.argv[1])(value);
  console.log(process.argv[2] === "--json" ? JSON.stringify(result) : String(result));
' "$@"; }`;

function readField([json = "", expression = "", format]: readonly string[]): string {
  const result: unknown = runInNewContext(`value${expression}`, { value: JSON.parse(json) });
  return `${format === "--json" ? JSON.stringify(result) : String(result)}\n`;
}

/** Hooks exit their process, so they get their own. The reply contains the exit code and the files with the output. */
function shellScript(port: number): string {
  return `if [ "$1" = hook ]; then exec '${process.execPath}' '${BIN}' "$@"; fi
settings=("HOME=$HOME" "PATH=$PATH")
for name in \${!HOLDFAST_*}; do settings+=("$name=\${!name}"); done
exec 3<>"/dev/tcp/127.0.0.1/${port}"
printf '%s\\0' "$PWD" "\${#settings[@]}" "\${settings[@]}" "$#" "$@" >&3
read -r code stdout stderr <&3
cat "$stdout" || true
cat "$stderr" >&2
exit "$code"
`;
}

async function handle(socket: Socket, folder: string): Promise<void> {
  let received = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    received += String(chunk);
    const request = parseRequest(received.split("\0").slice(0, -1));
    if (request === null) continue;
    const { code, stdout, stderr } =
      request.args[0] === FIELD
        ? { code: 0, stdout: readField(request.args.slice(1)), stderr: "" }
        : await runInHost({ ...request, input: "" });
    const output = mkdtempSync(path.join(folder, "output-"));
    const files = Object.entries({ stdout, stderr }).map(([name, text]) => {
      const file = path.join(output, name);
      writeFileSync(file, text);
      return file;
    });
    socket.end(`${[code, ...files].join(" ")}\n`);
  }
}

interface Request {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
}

/** Null while the request is incomplete. */
function parseRequest([folder = "", count, ...rest]: readonly string[]): Request | null {
  const settings = rest.slice(0, Number(count));
  const [argumentCount, ...args] = rest.slice(Number(count));
  if (argumentCount === undefined || args.length < Number(argumentCount)) return null;
  const env = Object.fromEntries(
    settings.map((setting) => {
      const [name = "", ...value] = setting.split("=");
      return [name, value.join("=")];
    }),
  );
  return { folder, env, args };
}
