import { closeSync, ftruncateSync, openSync, rmSync, writeSync, writevSync } from "node:fs";
import { frameHeader } from "./frames.ts";
import type { AboutAgent, HostedExit } from "./host-protocol.ts";
import { parseCheckpoint } from "./parse-host.ts";

/** The kinds of records, which are written like frames. */
export const RECORDS = {
  /** JSON: `LogHead`. Always the first record. */
  head: 0x48,
  /** JSON: `Checkpoint`. */
  checkpoint: 0x50,
  /** Bytes that the agent wrote. */
  output: 0x4f,
  /** A line that the agent got. */
  input: 0x49,
  /** JSON: `HostedExit`. */
  exit: 0x58,
} as const;

export interface LogHead {
  readonly id: string;
  readonly pid: number;
  readonly about: AboutAgent;
  /** The number of bytes that the agent had written before the log begins. */
  readonly offset: number;
}

export interface AgentLog {
  readonly file: string;
  readonly size: number;
  /** False if the log had to be given up: the disk is full, or the log is too long. It begins again with a checkpoint. */
  readonly isWhole: boolean;
  addOutput(bytes: Buffer): void;
  addInput(line: Buffer): void;
  addExit(exit: HostedExit): void;
  /** A `Checkpoint` as JSON. `offset`: the number of bytes that the agent has written. */
  addCheckpoint(json: Buffer, offset: number): void;
  /** The file stays. */
  close(): void;
  /** Nothing is written any more, and what was written is gone. */
  remove(): void;
}

export interface AgentLogOptions {
  readonly file: string;
  readonly head: Omit<LogHead, "offset">;
  readonly maxBytes: number;
}

/** A log that is shorter goes on after a checkpoint: to begin again would take longer than to write the checkpoint. */
const BEGIN_AGAIN_BYTES = 64 * 1024;

/**
 * What an agent and a server have said to each other since the last checkpoint, in a file that outlives the host. A log that
 * cannot be written is given up, because work is worth more than the chance to go on with it after a crash.
 */
export function openAgentLog({ file, head, maxBytes }: AgentLogOptions): AgentLog {
  // Nobody else may read it: it contains what users and agents say, and their secrets.
  let descriptor = create(file);
  let size = 0;
  let isWhole = descriptor !== null;

  const giveUp = (): void => {
    isWhole = false;
    size = 0;
    try {
      if (descriptor !== null) ftruncateSync(descriptor, 0);
    } catch {
      // A reader would stop at the first record that is not whole.
    }
  };

  const add = (kind: number, bytes: Buffer): void => {
    if (!isWhole || descriptor === null) return;
    const header = frameHeader(kind, bytes.length);
    const record = [header, bytes];
    const length = header.length + bytes.length;
    if (size + length > maxBytes) return giveUp();
    try {
      let written = writevSync(descriptor, record, size);
      // A disk that is almost full takes a part.
      const whole = written < length ? Buffer.concat(record) : null;
      while (whole !== null && written < length)
        written += writeSync(descriptor, whole, written, length - written, size + written);
      size += length;
    } catch {
      giveUp();
    }
  };

  const addJson = (kind: number, value: object): void =>
    add(kind, Buffer.from(JSON.stringify(value)));

  const begin = (offset: number): void => {
    if (descriptor === null) return;
    isWhole = true;
    size = 0;
    try {
      ftruncateSync(descriptor, 0);
    } catch {
      return giveUp();
    }
    addJson(RECORDS.head, { ...head, offset } satisfies LogHead);
  };

  begin(0);
  return {
    file,
    get size() {
      return size;
    },
    get isWhole() {
      return isWhole;
    },
    addOutput: (bytes) => add(RECORDS.output, bytes),
    addInput: (line) => add(RECORDS.input, line),
    addExit: (exit) => addJson(RECORDS.exit, exit),
    addCheckpoint: (json, offset) => {
      // Usually the agent is silent, and the server has read everything. Otherwise the log goes on: the checkpoint says
      // from where on its output is needed.
      const isSpent = !isWhole || size >= BEGIN_AGAIN_BYTES;
      if (isSpent && parseCheckpoint(json)?.offset === offset) begin(offset);
      add(RECORDS.checkpoint, json);
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
    remove: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
      isWhole = false;
      rmSync(file, { force: true });
    },
  };
}

/** Null if that is not possible, such as on a full disk. */
function create(file: string): number | null {
  try {
    return openSync(file, "wx", 0o600);
  } catch {
    return null;
  }
}
