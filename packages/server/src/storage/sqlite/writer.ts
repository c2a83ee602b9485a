import { Worker } from "node:worker_threads";
import { StorageFault, type FaultCode } from "../fault.ts";
import type { WriteArgs, WriteName, Writer, WriteResult } from "../writes/writes.ts";
import { faultFromSqlite } from "./faults.ts";

/** Writes waiting for the thread; beyond this the disk is hopelessly behind and callers are told. */
const MAX_WAITING = 10_000;
/** Writes of one transaction, so that the first of a flood does not wait for the last. */
const MAX_BATCH = 256;

export interface WriterOptions {
  readonly file: string;
  readonly busyTimeoutMs?: number;
  /** Pages the file may have; a write that needs more fails as on a full disk. */
  readonly maxPages?: number;
}

export interface WriteBatch {
  readonly durable: boolean;
  readonly requests: readonly { readonly name: WriteName; readonly args: WriteArgs<WriteName> }[];
}

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
export function startWriter(options: WriterOptions): {
  write: Writer;
  close: () => Promise<void>;
} {
  const waiting: Waiting[] = [];
  let sent: readonly Waiting[] = [];
  let closing: Promise<void> | null = null;
  let worker: Worker | null = null;

  /** Started with the first write, and again after it broke. */
  function thread(): Worker {
    worker ??= spawn();
    return worker;
  }

  function spawn(): Worker {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const started = new Worker(new URL(`./writer-thread.${extension}`, import.meta.url), {
      workerData: options,
    });
    started.on("message", (replies: readonly WriteReply[]) => {
      // The last words of a thread that is lost already must not answer for its successor.
      if (worker === started) settle(replies);
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
    try {
      thread().ref();
      thread().postMessage(batch);
    } catch (bug) {
      settleWith(bug);
    }
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
        if (worker === null) return resolve();
        worker.ref();
        worker.once("exit", () => resolve());
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

  return { write, close };
}

function toError(reply: WriteReply | undefined): Error {
  if (reply === undefined || reply.ok)
    return new StorageFault("database_error", "The write got no answer.");
  if (reply.code !== null) return new StorageFault(reply.code, reply.message);
  const bug = new Error(reply.message);
  bug.stack = reply.stack;
  return bug;
}
