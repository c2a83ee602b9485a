import { Worker } from "node:worker_threads";
import { StorageFault, type FaultCode } from "../fault.ts";
import type { WriteName, Writer, WriteResult } from "../writes/writes.ts";

/** Writes waiting for the thread; beyond this the disk is hopelessly behind and callers are told. */
const MAX_WAITING = 10_000;
/** Writes of one transaction, so that the first of a flood does not wait for the last. */
const MAX_BATCH = 256;

export interface WriteRequest {
  readonly name: WriteName;
  readonly args: unknown;
}

export interface WriteBatch {
  readonly durable: boolean;
  readonly requests: readonly WriteRequest[];
}

export type WriteReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: FaultCode | null; readonly message: string; readonly stack: string };

interface Waiting {
  readonly request: WriteRequest;
  readonly durable: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Natural batching: a lone write goes out at once; what arrives while one is being committed becomes
 * the next transaction. No timer, and under load one sync of the disk serves many.
 */
export function startWriter(options: { readonly file: string; readonly busyTimeoutMs?: number }): {
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
    const started = new Worker(new URL(`./writer-thread.${extension}`, import.meta.url), { workerData: options });
    started.on("message", settle);
    started.on("error", fail);
    return started;
  }

  function send(): void {
    if (sent.length > 0 || waiting.length === 0) return;
    sent = waiting.splice(0, MAX_BATCH);
    const batch: WriteBatch = {
      durable: sent.some(({ durable }) => durable),
      requests: sent.map(({ request }) => request),
    };
    thread().ref();
    thread().postMessage(batch);
  }

  function settle(replies: readonly WriteReply[]): void {
    const settled = sent;
    sent = [];
    // Idle, it must not keep a process alive that has nothing else to do.
    worker?.unref();
    send();
    for (const [index, { resolve, reject }] of settled.entries()) {
      const reply = replies[index];
      if (reply?.ok === true) resolve(reply.value as never);
      else reject(toError(reply));
    }
  }

  /** The thread itself broke: whether it had stored what it was given is not known. */
  function fail(cause: unknown): void {
    const lost = sent;
    sent = [];
    worker = null;
    for (const { reject } of lost) {
      reject(new StorageFault("database_error", "The writing thread ended unexpectedly.", { cause }));
    }
    send();
  }

  const write = <Name extends WriteName>(
    name: Name,
    args: unknown,
    { durable }: { readonly durable: boolean } = { durable: true },
  ): Promise<WriteResult<Name>> => {
    if (closing !== null) return Promise.reject(new StorageFault("store_closed", "The store is closed."));
    if (waiting.length >= MAX_WAITING) {
      return Promise.reject(new StorageFault("writes_overflow", `${MAX_WAITING} writes are waiting for the disk already.`));
    }
    return new Promise<WriteResult<Name>>((resolve, reject) => {
      waiting.push({ request: { name, args }, durable, resolve, reject });
      send();
    });
  };

  const close = (): Promise<void> => {
    closing ??= new Promise<void>((resolve, reject) => {
      const finish = (): void => {
        if (worker === null) return resolve();
        worker.ref();
        worker.once("exit", () => resolve());
        worker.postMessage("close");
      };
      if (sent.length === 0 && waiting.length === 0) return finish();
      waiting.push({ request: { name: "setAside", args: [] }, durable: false, resolve: finish, reject });
      return send();
    });
    return closing;
  };

  return { write, close };
}

function toError(reply: WriteReply | undefined): Error {
  if (reply === undefined || reply.ok) return new StorageFault("database_error", "The write got no answer.");
  if (reply.code !== null) return new StorageFault(reply.code, reply.message);
  const bug = new Error(reply.message);
  bug.stack = reply.stack;
  return bug;
}
