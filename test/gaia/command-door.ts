import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { runInHost } from "../e2e/command-host.ts";
import { isLongRun } from "../../packages/server/src/domain/testing/repeat.ts";

const BIN = path.resolve(import.meta.dirname, "../../packages/server/bin/holdfast.js");

/** How scripts and other programs call `holdfast`. */
export interface CommandDoor {
  /** The words of the command before its arguments. */
  readonly command: readonly string[];
  close(): void;
}

/**
 * In the long run the installed program, a process for each command. Every day, a small shell script that hands
 * the command to the one process that runs the commands of this test file.
 */
export async function openCommandDoor(): Promise<CommandDoor> {
  if (isLongRun) return { command: [process.execPath, BIN], close: () => {} };
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-door-"));
  const server = createServer((socket) => {
    answer(socket, folder).catch((error: unknown) => socket.destroy(new Error(String(error))));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("unreachable: a TCP server");
  const file = path.join(folder, "holdfast.sh");
  writeFileSync(file, shellScript(address.port));
  return {
    command: ["bash", file],
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Hooks end their process, and have one of their own. The answer is the exit code and the files with the output. */
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

async function answer(socket: Socket, folder: string): Promise<void> {
  let received = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    received += String(chunk);
    const request = parseRequest(received.split("\0").slice(0, -1));
    if (request === null) continue;
    const { code, stdout, stderr } = await runInHost({ ...request, input: "" });
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

/** Null while not all of it has arrived. */
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
