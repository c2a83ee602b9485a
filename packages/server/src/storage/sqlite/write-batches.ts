import { StorageFault } from "../fault.ts";
import { callWrite, type WriteName } from "../writes/writes.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite, isBusy } from "./faults.ts";
import { newMarks, openMarks } from "./own-marks.ts";
import { reserveBeside } from "./reserve.ts";
import type {
  SqliteWriter,
  WriteBatch,
  WriteReply,
  WriteRequest,
  WriterOptions,
} from "./write-protocol.ts";

export interface WriteBatches {
  /** Runs a batch in one transaction with one disk sync. Must not be called again before it resolves. */
  run(batch: WriteBatch): Promise<readonly WriteReply[]>;
  /** Work that may wait until after the reply to a batch. */
  afterBatch(): void;
  /** Keeps space reserved, so that a delete is possible on a full disk. */
  keepReserve(): void;
  /** Whether space should be reserved, and is not. */
  wantsReserve(): boolean;
  /** Moves the write-ahead log into the database file. */
  checkpoint(): void;
  /** The same, and truncates the log, if nobody else uses it. */
  emptyLog(): void;
  readonly read: SqliteWriter["read"];
  /** Whether another process has written since the last call. */
  hasOutsideWrites(): boolean;
  close(): void;
}

/** Changed rows between two checkpoints: a few megabytes of log. They are counted after some batches. */
const CHANGES_PER_CHECKPOINT = 20_000;
const BATCHES_PER_COUNT = 16;

/** Opens a writing connection. */
export function openWriteBatches(options: WriterOptions): WriteBatches {
  const { checkpoints = true, leavesMarks = true } = options;
  const connection = openSqliteConnection(options.file, { ...options, readOnly: false });
  const { raw, run } = connection;
  if (options.maxPages !== undefined) raw.exec(`pragma max_page_count = ${options.maxPages}`);
  // Only a safety net: a checkpoint inside a commit would delay the caller that waits for the commit.
  raw.exec(`pragma wal_autocheckpoint = ${checkpoints ? 10_000 : 0}`);
  const begin = raw.prepare("begin immediate");
  const commit = raw.prepare("commit");
  const countChanges = raw.prepare("select total_changes() as changes");
  const marks = openMarks(raw, options.marks ?? newMarks(), { leavesMarks });
  let isDurable = true;
  let changesAtCheckpoint = 0;
  let batchesSinceCount = 0;
  const reserve = reserveBeside(options.file);

  function checkpoint(mode: "passive" | "truncate"): void {
    try {
      raw.exec(`pragma wal_checkpoint(${mode})`);
    } catch {
      // The disk is full or failed. The log is complete and is read when the database is opened again.
    }
  }

  /** A failed write leaves no trace and does not affect the others of its batch. */
  async function runOne({ name, args }: WriteRequest): Promise<WriteReply> {
    raw.exec("savepoint one");
    try {
      const value = await callWrite(connection, name, args);
      raw.exec("release one");
      return { ok: true, value };
    } catch (error) {
      // A full disk rolls back the whole transaction: no write of the batch is stored.
      if (!raw.isTransaction) throw error;
      raw.exec("rollback to one");
      raw.exec("release one");
      return toReply(error);
    }
  }

  /** A lone write needs no savepoint: its failure rolls back the transaction. */
  async function runAlone({ name, args }: WriteRequest): Promise<WriteReply> {
    return { ok: true, value: await callWrite(connection, name, args) };
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

  /** On a full disk, deletes run again in the reserved space. Other writes fail. */
  async function runInReserve(
    { requests, durable }: WriteBatch,
    replies: readonly WriteReply[],
  ): Promise<readonly WriteReply[]> {
    const isPending = (index: number): boolean => {
      const [request, reply] = [requests[index], replies[index]];
      return request !== undefined && isDelete(request) && isFull(reply);
    };
    const deletes = requests.filter((_, index) => isPending(index));
    if (deletes.length === 0 || !reserve.release()) return replies;
    const done = [...(await runAll({ requests: deletes, durable }))];
    checkpoint("truncate");
    reserve.takeBack();
    return replies.map((reply, index) => (isPending(index) ? (done.shift() ?? reply) : reply));
  }

  return {
    run: async (batch) => {
      const replies = await runAll(batch);
      return replies.some(isFull) ? runInReserve(batch, replies) : replies;
    },
    keepReserve: reserve.take,
    wantsReserve: reserve.isWanted,
    afterBatch: () => {
      batchesSinceCount += 1;
      if (batchesSinceCount < BATCHES_PER_COUNT) return;
      batchesSinceCount = 0;
      const changes = Number(countChanges.get()?.["changes"]);
      if (changes - changesAtCheckpoint < CHANGES_PER_CHECKPOINT) return;
      checkpoint("passive");
      changesAtCheckpoint = changes;
    },
    checkpoint: () => checkpoint("passive"),
    emptyLog: () => checkpoint("truncate"),
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
      if (checkpoints) checkpoint("truncate");
      raw.close();
    },
  };
}

const DELETES: ReadonlySet<string> = new Set<WriteName>([
  "deleteSessions",
  "deleteStale",
  "removeRepo",
  "dropImport",
  "forgetAnswers",
]);

function isDelete({ name, args }: WriteRequest): boolean {
  if (DELETES.has(name)) return true;
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
