import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { RECORDS, type LogHead } from "./agent-log.ts";
import { framesIn } from "./frames.ts";
import type { Checkpoint, HostedExit } from "./host-protocol.ts";
import { parseAbout, parseCheckpoint, parseExit, parseObject } from "./parse-host.ts";

/** What an agent and a server have said to each other since the last checkpoint. */
export interface AgentHistory {
  readonly head: LogHead;
  /** The note of the checkpoint; undefined if there is none. */
  readonly note: unknown;
  /** The number of bytes that the agent had written at the checkpoint. */
  readonly offset: number;
  /** What it has written since. */
  readonly output: readonly Buffer[];
  /** The lines that it has got since. */
  readonly input: readonly string[];
  /** How it ended; null if that was not written down. */
  readonly exit: HostedExit | null;
}

/** Reads a log, or its first `size` bytes. Null if the file does not begin as a log does. */
export function readAgentLog(file: string, size?: number): AgentHistory | null {
  const [first, ...records] = framesIn(readBytes(file, size));
  const head = first?.kind === RECORDS.head ? parseHead(first.bytes) : null;
  if (head === null) return null;
  let checkpoint: Checkpoint | null = null;
  let input: string[] = [];
  let exit: HostedExit | null = null;
  let { offset } = head;
  const output: { readonly from: number; readonly bytes: Buffer }[] = [];
  for (const { kind, bytes } of records) {
    switch (kind) {
      case RECORDS.output:
        output.push({ from: offset, bytes });
        offset += bytes.length;
        break;
      case RECORDS.input:
        input.push(bytes.toString("utf8"));
        break;
      case RECORDS.checkpoint: {
        const next = parseCheckpoint(bytes);
        if (next === null) break;
        checkpoint = next;
        input = [];
        break;
      }
      case RECORDS.exit:
        exit = parseExit(bytes);
        break;
      default:
        // Not written by us, or by a disk that lost power: nothing after it can be trusted.
        return null;
    }
  }
  const from = checkpoint?.offset ?? head.offset;
  return {
    head,
    note: checkpoint?.note,
    offset: from,
    output: output.flatMap((each) => {
      const rest = each.bytes.subarray(Math.max(0, from - each.from));
      return rest.length === 0 ? [] : [rest];
    }),
    input,
    exit,
  };
}

function readBytes(file: string, size: number | undefined): Buffer {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(size ?? fstatSync(descriptor).size);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(descriptor, buffer, length, buffer.length - length, length);
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

function parseHead(bytes: Buffer): LogHead | null {
  const value = parseObject(bytes);
  const about = parseAbout(value?.["about"]);
  const { id, pid, offset } = value ?? {};
  if (typeof id !== "string" || typeof pid !== "number" || typeof offset !== "number") return null;
  return about === null ? null : { id, pid, offset, about };
}
