import { StorageFault, type FaultCode } from "../fault.ts";
import type { WriteArgs, WriteName, Writer } from "../writes/writes.ts";
import type { SharedMarks } from "./own-marks.ts";

export interface WriterOptions {
  readonly file: string;
  readonly busyTimeoutMs?: number;
  /** Maximum number of pages of the file. A write that needs more fails as on a full disk. */
  readonly maxPages?: number;
  /** Shared by all connections of a process. Without them, a connection counts as a process of its own. */
  readonly marks?: SharedMarks;
  /** Whether other processes can notice the writes. */
  readonly leavesMarks?: boolean;
  /** False where another connection checkpoints the write-ahead log. */
  readonly checkpoints?: boolean;
}

export interface SqliteWriter {
  readonly write: Writer;
  /** Reads on the connection that wrote last, whose cache is warm; null when that is not possible now. */
  readonly read: (text: string, parameters: readonly unknown[]) => readonly unknown[] | null;
  readonly onOutsideWrites: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

export interface WriteRequest {
  readonly name: WriteName;
  readonly args: WriteArgs<WriteName>;
}

export interface WriteBatch {
  readonly durable: boolean;
  readonly requests: readonly WriteRequest[];
}

/** Messages to the writing thread, besides batches. */
export type WriterSignal = "close" | "checkpoint";

export type WriteReply =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: FaultCode | null;
      readonly message: string;
      readonly stack: string;
    };

export function toError(reply: WriteReply | undefined): Error {
  if (reply === undefined || reply.ok)
    return new StorageFault("database_error", "The write got no answer.");
  if (reply.code !== null) return new StorageFault(reply.code, reply.message);
  const bug = new Error(reply.message);
  bug.stack = reply.stack;
  return bug;
}
