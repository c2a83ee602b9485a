import { Worker } from "node:worker_threads";
import { StorageFault, type FaultCode } from "../fault.ts";
import type { WriteArgs, WriteName, Writer, WriteResult } from "../writes/writes.ts";
import { faultFromSqlite } from "./faults.ts";
import { newMarks, type SharedMarks } from "./own-marks.ts";
import { openSmallWrites } from "./small-writes.ts";
import type { WriteBatches } from "./write-batches.ts";

/** Writes waiting for the thread; beyond this the disk is hopelessly behind and callers are told. */
const MAX_WAITING = 10_000;
/** Writes of one transaction, so that the first of a flood does not wait for the last. */
const MAX_BATCH = 256;
/** Small writes before the thread folds the write-ahead log; a change of a session weighs as much as many words. */
const SMALL_PER_FOLD = 1_000;
const WEIGHT_OF_CHANGE = 10;

export interface WriterOptions {
  readonly file: string;
  readonly busyTimeoutMs?: number;
  /** Pages the file may have; a write that needs more fails as on a full disk. */
  readonly maxPages?: number;
  /** Shared by the connections of a process; without them each is a process of its own. */
  readonly marks?: SharedMarks;
  /** False where somebody else folds the write-ahead log into the database. */
  readonly foldsItself?: boolean;
}

export interface SqliteWriter {
  readonly write: Writer;
  /** Reads faster than a connection that has not written itself; null when that cannot be just now. */
  readonly read: WriteBatches["read"];
  readonly onOutsideWrites: (listener: () => void) => void;
  readonly close: () => Promise<void>;
}

export interface WriteBatch {
  readonly durable: boolean;
  readonly requests: readonly { readonly name: WriteName; readonly args: WriteArgs<WriteName> }[];
}

/** What the thread says when it was not asked. */
export const OUTSIDE_WRITES = "outside_writes";

export type WriteReply =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly code: FaultCode | null;
      readonly message: string;
      readonly stack: string;
    };

interface Waiting {
  readonly request: WriteBatch["requests"][number];
  readonly durable: boolean;
  /** Takes what the write of that name returns. */
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural batching: a lone write goes out at once; what arrives while one is being committed becomes
 * the next transaction. No timer, and under load one sync of the disk serves many.
 */
export function startWriter(given: WriterOptions): SqliteWriter {
  const options = { ...given, marks: newMarks() };
  const small = openSmallWrites(options);
  let smallSinceFold = 0;
  /** Whether what was sent is with the thread. */
  let isAway = false;
  const waiting: Waiting[] = [];
  let sent: readonly Waiting[] = [];
  let closing: Promise<void> | null = null;
  let worker: Worker | null = null;
  const outsideListeners: (() => void)[] = [];

  /** Started again after it broke. */
  function thread(): Worker {
    worker ??= spawn();
    return worker;
  }

  function spawn(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const started = new Worker(new URL(`./writer-thread.${extension}`, import.meta.url), {
      workerData: options,
    });
    started.on("message", (message: readonly WriteReply[] | typeof OUTSIDE_WRITES) => {
      // The last words of a thread that is lost already must not answer for its successor.
      if (worker !== started) return;
      if (message === OUTSIDE_WRITES) for (const listener of outsideListeners) listener();
      else settle(message);
    });
    started.on("error", (cause) => lose(started, cause));
    started.on("exit", (code) =>
      lose(started, new Error(`The writing thread exited with ${code}.`)),
    );
    return started;
  }

  function send(): void {
    if (sent.length > 0 || waiting.length === 0) return;
    sent = waiting.splice(0, MAX_BATCH);
    const batch: WriteBatch = {
      durable: sent.some(({ durable }) => durable),
      requests: sent.map(({ request }) => request),
    };
    if (small.takes(batch)) void sendHere(batch);
    else sendAway(batch);
  }

  function sendAway(batch: WriteBatch): void {
    isAway = true;
    try {
      thread().ref();
      thread().postMessage(batch);
    } catch (bug) {
      settleWith(bug);
    }
  }

  async function sendHere(batch: WriteBatch): Promise<void> {
    isAway = false;
    const replies = await small.run(batch).catch(() => null);
    if (replies === null) return sendAway(batch);
    settle(replies);
    smallSinceFold += batch.durable ? WEIGHT_OF_CHANGE : 1;
    if (smallSinceFold < SMALL_PER_FOLD) return;
    smallSinceFold = 0;
    thread().postMessage("fold");
  }

  function settle(replies: readonly WriteReply[]): void {
    const settled = sent;
    sent = [];
    // Idle, it must not keep a process alive that has nothing else to do.
    worker?.unref();
    send();
    for (const [index, { resolve, reject }] of settled.entries()) {
      const reply = replies[index];
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- replies come in the order of the requests
      if (reply?.ok === true) resolve(reply.value as never);
      else reject(toError(reply));
    }
  }

  function settleWith(error: unknown): void {
    const settled = sent;
    sent = [];
    for (const { reject } of settled) reject(error);
    send();
  }

  /** The thread itself broke: whether it had stored what it was given is not known. */
  function lose(thread: Worker, cause: unknown): void {
    if (worker !== thread) return;
    worker = null;
    if (!isAway) return;
    const fault = faultFromSqlite(cause);
    settleWith(
      fault instanceof StorageFault
        ? fault
        : new StorageFault("database_error", "The writing thread ended unexpectedly.", { cause }),
    );
  }

  const write = <Name extends WriteName>(
    name: Name,
    args: WriteArgs<Name>,
    { durable }: { readonly durable: boolean } = { durable: true },
  ): Promise<WriteResult<Name>> => {
    if (closing !== null)
      return Promise.reject(new StorageFault("store_closed", "The store is closed."));
    if (waiting.length >= MAX_WAITING) {
      return Promise.reject(
        new StorageFault(
          "writes_overflow",
          `${MAX_WAITING} writes are waiting for the disk already.`,
        ),
      );
    }
    return new Promise<WriteResult<Name>>((resolve, reject) => {
      waiting.push({ request: { name, args }, durable, resolve, reject });
      send();
    });
  };

  const close = (): Promise<void> => {
    closing ??= new Promise<void>((resolve) => {
      const finish = (): void => {
        const closed = small.close();
        if (worker === null) return resolve(closed);
        worker.ref();
        worker.once("exit", () => resolve(closed));
        worker.postMessage("close");
      };
      if (sent.length === 0 && waiting.length === 0) return finish();
      waiting.push({
        request: { name: "setAside", args: [] },
        durable: false,
        resolve: finish,
        reject: finish,
      });
      return send();
    });
    return closing;
  };

  const onOutsideWrites = (listener: () => void): void => {
    outsideListeners.push(listener);
  };

  // Before there is anything to write: it takes a while, and it notices what others write only once it runs.
  thread().unref();
  return { write, read: small.read, onOutsideWrites, close };
}

export function toError(reply: WriteReply | undefined): Error {
  if (reply === undefined || reply.ok)
    return new StorageFault("database_error", "The write got no answer.");
  if (reply.code !== null) return new StorageFault(reply.code, reply.message);
  const bug = new Error(reply.message);
  bug.stack = reply.stack;
  return bug;
}
