import { StorageFault } from "../fault.ts";
import { callWrite, type WriteName } from "../writes/writes.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite, isBusy } from "./faults.ts";
import { newMarks, openMarks } from "./own-marks.ts";
import { reserveBeside } from "./reserve.ts";
import type { WriteBatch, WriteReply, WriterOptions } from "./writer.ts";

export interface WriteBatches {
  /** One transaction and one sync of the disk; to be called again only after it has resolved. */
  run(batch: WriteBatch): Promise<readonly WriteReply[]>;
  /** What need not be waited for, after a batch was answered. */
  afterBatch(): void;
  /** Keeps room free in which something can be deleted when the disk is full. */
  keepReserve(): void;
  /** Folds the write-ahead log into the database. */
  foldLog(): void;
  /** Reads by what has just written, whose pages are still in its memory; null when it is busy, or others are. */
  read(text: string, parameters: readonly unknown[]): readonly unknown[] | null;
  /** Whether another process has written since the last time it was asked. */
  hasOutsideWrites(): boolean;
  close(): void;
}

/** Rows changed before the write-ahead log is folded into the database; some megabytes of it. */
const CHANGES_PER_FOLD = 20_000;

/** The one connection that writes. */
export function openWriteBatches(options: WriterOptions): WriteBatches {
  const { raw, db, run } = openSqliteConnection(options.file, { ...options, readOnly: false });
  if (options.maxPages !== undefined) raw.exec(`pragma max_page_count = ${options.maxPages}`);
  // A safety net only: folding inside a commit would make whoever waits for that commit wait longer.
  raw.exec(`pragma wal_autocheckpoint = ${options.foldsItself === false ? 0 : 10_000}`);
  const begin = raw.prepare("begin immediate");
  const commit = raw.prepare("commit");
  const countChanges = raw.prepare("select total_changes() as changes");
  const marks = openMarks(raw, options.marks ?? newMarks());
  let isDurable = true;
  let changesFolded = 0;
  const reserve = reserveBeside(options.file);

  /** Folds the write-ahead log into the database, as far as no other process reads it. */
  function foldLog(mode: "passive" | "truncate"): void {
    try {
      raw.exec(`pragma wal_checkpoint(${mode})`);
    } catch {
      // No room or no disk: the log has everything, and is read when the database is opened again.
    }
  }

  /** A write that fails leaves nothing behind and does not disturb the others of its batch. */
  async function runOne({ name, args }: WriteBatch["requests"][number]): Promise<WriteReply> {
    raw.exec("savepoint one");
    try {
      const value = await callWrite({ db, engine: "sqlite", run }, name, args);
      raw.exec("release one");
      return { ok: true, value };
    } catch (error) {
      // A full disk ends the whole transaction by itself: then nobody's write is stored.
      if (!raw.isTransaction) throw error;
      raw.exec("rollback to one");
      raw.exec("release one");
      return toReply(error);
    }
  }

  /** A lone one needs no point to go back to: what it did is undone with its transaction. */
  async function runAlone({ name, args }: WriteBatch["requests"][number]): Promise<WriteReply> {
    return { ok: true, value: await callWrite({ db, engine: "sqlite", run }, name, args) };
  }

  async function runAll({ requests, durable }: WriteBatch): Promise<readonly WriteReply[]> {
    try {
      if (durable !== isDurable) {
        raw.exec(`pragma synchronous = ${durable ? "full" : "normal"}`);
        isDurable = durable;
      }
      begin.run();
      marks.leave();
      const replies: WriteReply[] = [];
      const [only] = requests;
      if (requests.length === 1 && only !== undefined) replies.push(await runAlone(only));
      else for (const request of requests) replies.push(await runOne(request));
      commit.run();
      marks.keep();
      return replies;
    } catch (error) {
      if (raw.isTransaction) raw.exec("rollback");
      const reply = toReply(error);
      return requests.map(() => reply);
    }
  }

  /** The disk is full: what deletes gets the room that was kept for it, and the others must wait. */
  async function runInReserve(
    { requests, durable }: WriteBatch,
    replies: readonly WriteReply[],
  ): Promise<readonly WriteReply[]> {
    const isWaiting = (index: number): boolean => {
      const [request, reply] = [requests[index], replies[index]];
      return request !== undefined && isDeleting(request) && isFull(reply);
    };
    const deleting = requests.filter((_, index) => isWaiting(index));
    if (deleting.length === 0 || !reserve.release()) return replies;
    const done = [...(await runAll({ requests: deleting, durable }))];
    foldLog("truncate");
    reserve.takeBack();
    return replies.map((reply, index) => (isWaiting(index) ? (done.shift() ?? reply) : reply));
  }

  return {
    run: async (batch) => {
      const replies = await runAll(batch);
      return replies.some(isFull) ? runInReserve(batch, replies) : replies;
    },
    keepReserve: reserve.take,
    afterBatch: () => {
      const changes = Number(countChanges.get()?.["changes"]);
      if (changes - changesFolded < CHANGES_PER_FOLD) return;
      foldLog("passive");
      changesFolded = changes;
    },
    foldLog: () => foldLog("passive"),
    read: (text, parameters) => {
      if (raw.isTransaction) return null;
      try {
        return run(text, parameters);
      } catch (error) {
        if (isBusy(error)) return null;
        throw error;
      }
    },
    hasOutsideWrites: marks.hasOutsideWrites,
    close: () => {
      if (options.foldsItself !== false) foldLog("truncate");
      raw.close();
    },
  };
}

const DELETING: ReadonlySet<string> = new Set<WriteName>([
  "deleteSessions",
  "deleteStale",
  "removeRepo",
  "dropImport",
  "forgetAnswers",
]);

function isDeleting({ name, args }: WriteBatch["requests"][number]): boolean {
  if (DELETING.has(name)) return true;
  if (typeof args !== "object" || !("events" in args) || !("before" in args)) return false;
  return args.events.at(-1)?.type === "session.deleted";
}

function isFull(reply: WriteReply | undefined): boolean {
  return reply?.ok === false && reply.code === "disk_full";
}

function toReply(error: unknown): WriteReply {
  const fault = faultFromSqlite(error);
  const { message, stack = "" } = fault instanceof Error ? fault : new Error(String(fault));
  return { ok: false, code: fault instanceof StorageFault ? fault.code : null, message, stack };
}
