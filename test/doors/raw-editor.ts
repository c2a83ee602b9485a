import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { BINARY, type RunningServer } from "../e2e/holdfast-process.ts";

export interface RawEditor {
  readonly process: ChildProcessWithoutNullStreams;
  /** Everything on stdout, in lines. */
  readonly lines: readonly string[];
  readonly messages: () => readonly Frame[];
  readonly write: (text: string) => void;
  readonly send: (message: object) => void;
  readonly closed: Promise<number | null>;
}

export interface Frame {
  readonly jsonrpc?: string;
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** An editor that writes what it likes to the program's stdin, and sees its stdout as it is. */
export function openRawEditor(server: RunningServer, cwd: string): RawEditor {
  const child = spawn(process.execPath, [BINARY, "acp", "--data", server.data], { cwd });
  const lines: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  child.stderr.resume();
  child.stdin.on("error", () => {});
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const write = (text: string): void => void child.stdin.write(text);
  return {
    process: child,
    lines,
    messages: () => lines.map((line): Frame => JSON.parse(line)),
    write,
    send: (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    closed,
  };
}
