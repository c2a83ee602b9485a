import { spawn, spawnSync } from "node:child_process";
import { createReadStream, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { need, needProgram } from "../../packages/server/src/domain/testing/machine.ts";

/** What a process did to files and sockets, in the order in which it was done. */
export type TracedCall =
  | { readonly call: "write"; readonly file: string; readonly at: number; readonly bytes: Buffer }
  | { readonly call: "truncate"; readonly file: string; readonly size: number }
  | { readonly call: "remove"; readonly file: string }
  /** Of a folder: names that were removed from it. */
  | { readonly call: "sync"; readonly file: string }
  /** Bytes to somebody else, as text. */
  | { readonly call: "said"; readonly text: string };

export interface Trace {
  /** All that was done, when the process has ended. */
  readonly calls: Promise<readonly TracedCall[]>;
}

/** Not every machine has all of them. */
const CALLS = "pwrite64,ftruncate,fsync,fdatasync,?unlink,unlinkat,write,writev,sendto,sendmsg";
/** A whole page of the database, and what a client is told at once. */
const LONGEST = 70_000;

/** Whether system calls can be watched here. */
export function needTrace(): void {
  needProgram("strace");
  const { status, stderr } = spawnSync("strace", ["-o", "/dev/null", "true"], { encoding: "utf8" });
  need(status === 0 ? null : `strace may not watch processes here: ${stderr}`);
}

/** Watches the threads that there are now, and no agents; what is written is taken down to the byte. */
export async function traceWrites(pid: number, file: string): Promise<Trace> {
  const threads = readdirSync(`/proc/${pid}/task`).flatMap((thread) => ["-p", thread]);
  const args = ["-y", "-xx", "-s", String(LONGEST), "-e", `trace=${CALLS}`, "-e", "signal=none"];
  const child = spawn("strace", [...args, "-o", file, ...threads], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.split("attached").length * 2 > threads.length) resolve();
    });
    child.once("exit", () => reject(new Error(`strace: ${said}`)));
  });
  return { calls: exited.then(() => readTrace(file)) };
}

async function readTrace(file: string): Promise<readonly TracedCall[]> {
  const unfinished = new Map<string, string>();
  const calls: TracedCall[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/u.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/u.exec(rest)?.[1];
    if (begun !== undefined) {
      unfinished.set(thread, begun);
      continue;
    }
    const ended = /^<\.\.\. \w+ resumed>(.*)$/u.exec(rest)?.[1];
    const call = toCall(ended === undefined ? rest : `${unfinished.get(thread) ?? ""}${ended}`);
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
      return { call: "said", text: Buffer.concat(pieces).toString() };
    }
  }
}

/** As strace writes strings with `-xx`. */
function decode(text: string): Buffer {
  return Buffer.from(text.replaceAll(String.raw`\x`, ""), "hex");
}
