import { Worker } from "node:worker_threads";
import { StorageFault } from "../fault.ts";
import type { WriteArgs, WriteName, WriteResult } from "../writes/writes.ts";
import { faultFromSqlite } from "./faults.ts";
import { newMarks } from "./own-marks.ts";
import { openSmallWrites } from "./small-writes.ts";
import {
  toError,
  type SqliteWriter,
  type WriteBatch,
  type WriteReply,
  type WriteRequest,
  type WriterOptions,
  type WriterSignal,
} from "./write-protocol.ts";

/** Maximum number of waiting writes. Beyond it the disk is too slow, and writes are refused. */
const MAX_WAITING = 10_000;
/** Maximum number of writes in a transaction, so that the first of many does not wait for the last. */
const MAX_BATCH = 256;
/** Weight of small writes after which the thread checkpoints. A change of a session weighs more than a piece of text. */
const WEIGHT_PER_CHECKPOINT = 1_000;
const WEIGHT_OF_CHANGE = 10;

/** How often the writer looks for writes of other processes, and at its thread. */
const CHECK_EVERY_MS = 1_000;
/** Checks without a change after which the thread ends: it takes 18 MiB. The next change starts it again. */
const IDLE_CHECKS = 60;

interface Waiting {
  readonly request: WriteRequest;
  readonly durable: boolean;
  /** Takes the result of the write with that name. */
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural batching: a lone write is sent at once; writes that arrive during a commit form the next transaction. This
 * needs no timer, and under load one disk sync serves many writes. The thread runs while there is work for it.
 */
export function startWriter(
  writerOptions: WriterOptions,
  { checkEveryMs = CHECK_EVERY_MS }: { readonly checkEveryMs?: number } = {},
): SqliteWriter {
  const options = { ...writerOptions, marks: newMarks() };
  const small = openSmallWrites(options);
  let weight = 0;
  let checksSinceChange = IDLE_CHECKS;
  /** Whether the current batch is with the thread. */
  let isAway = false;
  const waiting: Waiting[] = [];
  let sent: readonly Waiting[] = [];
  let closing: Promise<void> | null = null;
  let worker: Worker | null = null;
  const ending = new Set<Promise<void>>();
  const outsideListeners: (() => void)[] = [];

  /** Starts the thread if it is not running. */
  function thread(): Worker {
    worker ??= spawn();
    return worker;
  }

  /** The thread stores what it has got before, and empties the write-ahead log. */
  function end(thread: Worker): void {
    worker = null;
    const ended = new Promise<void>((resolve) => thread.once("exit", () => resolve()));
    ending.add(ended);
    void ended.then(() => ending.delete(ended));
    thread.ref();
    thread.postMessage("close" satisfies WriterSignal);
  }

  function check(): void {
    if (small.hasOutsideWrites()) for (const listener of outsideListeners) listener();
    if (sent.length > 0) return;
    if (worker === null && small.wantsReserve()) checksSinceChange = 0;
    checksSinceChange += 1;
    if (checksSinceChange <= IDLE_CHECKS) startAhead();
    else if (worker !== null) end(worker);
  }

  function startAhead(): void {
    try {
      thread();
    } catch {
      // The next write that needs it says why it does not start.
    }
  }

  function spawn(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const started = new Worker(new URL(`./writer-thread.${extension}`, import.meta.url), {
      workerData: options,
    });
    started.on("message", (replies: readonly WriteReply[]) => {
      // A late message of a failed thread must not answer requests of its successor.
      if (worker === started) settle(replies);
    });
    started.on("error", (cause) => lose(started, cause));
    started.on("exit", (code) =>
      lose(started, new Error(`The writing thread exited with ${code}.`)),
    );
    // An idle thread must not keep the process alive.
    started.unref();
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
    checksSinceChange = 0;
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
    if (batch.durable) checksSinceChange = 0;
    settle(replies);
    weight += batch.durable ? WEIGHT_OF_CHANGE : 1;
    if (weight < WEIGHT_PER_CHECKPOINT) return;
    weight = 0;
    // A thread that ends empties the log, too.
    if (worker === null) checksSinceChange = 0;
    else worker.postMessage("checkpoint" satisfies WriterSignal);
  }

  function settle(replies: readonly WriteReply[]): void {
    const settled = sent;
    sent = [];
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

  /** The thread failed. Whether its current batch was stored is unknown. */
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
      const message = `${MAX_WAITING} writes are waiting for the disk already.`;
      return Promise.reject(new StorageFault("writes_overflow", message));
    }
    return new Promise<WriteResult<Name>>((resolve, reject) => {
      waiting.push({ request: { name, args }, durable, resolve, reject });
      send();
    });
  };

  const close = (): Promise<void> => {
    closing ??= new Promise<void>((resolve) => {
      const finish = (): void => {
        clearInterval(checks);
        const closed = small.close({ emptiesLog: worker === null });
        if (worker !== null) end(worker);
        resolve(Promise.all([closed, ...ending]).then(() => {}));
      };
      if (sent.length === 0 && waiting.length === 0) return finish();
      // An empty write at the end of the queue resolves after all others.
      waiting.push({
        request: { name: "quarantine", args: [] },
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

  // What other processes have written so far is no news.
  small.hasOutsideWrites();
  const checks = setInterval(check, checkEveryMs).unref();
  return { write, read: small.read, onOutsideWrites, close };
}
