import { spawn, spawnSync } from "node:child_process";
import { createReadStream, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { need, needProgram } from "../../packages/server/src/domain/testing/machine.ts";

/** The calls of a process on files and sockets, in order. */
export type TracedCall =
  | { readonly call: "write"; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly call: "truncate"; readonly file: string; readonly size: number }
  | { readonly call: "remove"; readonly file: string }
  /** If the file is a folder, syncs removals from it. */
  | { readonly call: "sync"; readonly file: string }
  /** Bytes written to a socket, as text. */
  | { readonly call: "send"; readonly text: string };

export interface Trace {
  /** All calls. Resolves when the process has exited. */
  readonly calls: Promise<readonly TracedCall[]>;
}

/** Not every architecture has all of them. */
const CALLS = "pwrite64,ftruncate,fsync,fdatasync,?unlink,unlinkat,write,writev,sendto,sendmsg";
/** Longer than a page of the database and than any single response. */
const MAX_BYTES = 70_000;

/** Skips the test if system calls cannot be traced on this machine. */
export function needTrace(): void {
  needProgram("strace");
  const { status, stderr } = spawnSync("strace", ["-o", "/dev/null", "true"], { encoding: "utf8" });
  need(status === 0 ? null : `strace may not trace processes here: ${stderr}`);
}

/** Traces the threads that exist now, but no agents, and records every written byte. */
export async function traceWrites(pid: number, file: string): Promise<Trace> {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((thread) => ["-p", thread]);
  const args = ["-y", "-xx", "-s", String(MAX_BYTES), "-e", `trace=${CALLS}`, "-e", "signal=none"];
  const child = spawn("strace", [...args, "-o", file, ...threads], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.split("attached").length * 2 > threads.length) resolve();
    });
    child.once("exit", () => reject(new Error(`strace: ${output}`)));
  });
  return { calls: exited.then(() => readTrace(file)) };
}

async function readTrace(file: string): Promise<readonly TracedCall[]> {
  const unfinished = new Map<string, string>();
  const calls: TracedCall[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/u.exec(line) ?? [];
    const start = /^(.*) <unfinished \.\.\.>$/u.exec(rest)?.[1];
    if (start !== undefined) {
      unfinished.set(thread, start);
      continue;
    }
    const end = /^<\.\.\. \w+ resumed>(.*)$/u.exec(rest)?.[1];
    const call = toCall(end === undefined ? rest : `${unfinished.get(thread) ?? ""}${end}`);
    if (call !== null) calls.push(call);
  }
  return calls;
}

function toCall(text: string): TracedCall | null {
  const removed = /^unlink(?:at)?\((?:AT_FDCWD[^,]*, )?"([^"]*)".*= 0$/u.exec(text)?.[1];
  if (removed !== undefined) return { call: "remove", file: decode(removed).toString() };
  const [, name, path = "", args = ""] = /^(\w+)\(\d+<([^>]*)>(.*)$/u.exec(text) ?? [];
  const result = Number(/= (-?\d+)[^=]*$/u.exec(args)?.[1] ?? Number.NaN);
  if (name === undefined || !(result >= 0)) return null;
  const file = decode(path).toString();
  switch (name) {
    case "fsync":
    case "fdatasync":
      return { call: "sync", file };
    case "ftruncate":
      return { call: "truncate", file, size: Number(/^, (\d+)\)/u.exec(args)?.[1]) };
    case "pwrite64": {
      const [, bytes = "", at = ""] = /^, "([^"]*)", \d+, (\d+)\)/u.exec(args) ?? [];
      return { call: "write", file, at: Number(at), bytes: decode(bytes).subarray(0, result) };
    }
    default: {
      if (!/^(?:TCP|socket)/u.test(file)) return null;
      const pieces = [...args.matchAll(/"([^"]*)"/gu)].map(([, piece = ""]) => decode(piece));
      return { call: "send", text: Buffer.concat(pieces).toString() };
    }
  }
}

/** Decodes strings that strace writes with `-xx`. */
function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll(String.raw`\x`, ""), "hex");
}
