import { parentPort, workerData } from "node:worker_threads";
import { StorageFault } from "../fault.ts";
import { callWrite } from "../writes/writes.ts";
import { openSqliteConnection } from "./connection.ts";
import { faultFromSqlite } from "./faults.ts";
import type { WriteBatch, WriteReply, WriterOptions } from "./writer.ts";

/** The one thread that writes: a batch of writes is one transaction and one sync of the disk. */
const port = parentPort;
if (port === null) throw new Error("unreachable: the writer runs in a thread of its own");
const options: WriterOptions = workerData;
const { raw, db } = openSqliteConnection(options.file, { ...options, readOnly: false });
if (options.maxPages !== undefined) raw.exec(`pragma max_page_count = ${options.maxPages}`);
/** Rows changed before the write-ahead log is folded into the database; some megabytes of it. */
const CHANGES_PER_FOLD = 20_000;
// A safety net only: folding inside a commit would make whoever waits for that commit wait longer.
raw.exec("pragma wal_autocheckpoint = 10000");
const countChanges = raw.prepare("select total_changes() as changes");
let isDurable = true;
let changesFolded = 0;

port.on("message", (message: WriteBatch | "close") => {
  if (message === "close") {
    foldLog("truncate");
    raw.close();
    port.close();
    return;
  }
  void runBatch(message).then((replies) => {
    port.postMessage(replies);
    const changes = Number(countChanges.get()?.["changes"]);
    if (changes - changesFolded < CHANGES_PER_FOLD) return;
    foldLog("passive");
    changesFolded = changes;
  });
});

/** Folds the write-ahead log into the database, as far as no other process reads it. */
function foldLog(mode: "passive" | "truncate"): void {
  try {
    raw.exec(`pragma wal_checkpoint(${mode})`);
  } catch {
    // No room or no disk: the log has everything, and is read when the database is opened again.
  }
}

async function runBatch({ requests, durable }: WriteBatch): Promise<readonly WriteReply[]> {
  try {
    if (durable !== isDurable) {
      raw.exec(`pragma synchronous = ${durable ? "full" : "normal"}`);
      isDurable = durable;
    }
    raw.exec("begin immediate");
    const replies: WriteReply[] = [];
    for (const request of requests) replies.push(await runOne(request));
    raw.exec("commit");
    return replies;
  } catch (error) {
    if (raw.isTransaction) raw.exec("rollback");
    const reply = toReply(error);
    return requests.map(() => reply);
  }
}

/** A write that fails leaves nothing behind and does not disturb the others of its batch. */
async function runOne({ name, args }: WriteBatch["requests"][number]): Promise<WriteReply> {
  raw.exec("savepoint one");
  try {
    const value = await callWrite({ db, engine: "sqlite" }, name, args);
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

function toReply(error: unknown): WriteReply {
  const fault = faultFromSqlite(error);
  const { message, stack = "" } = fault instanceof Error ? fault : new Error(String(fault));
  return { ok: false, code: fault instanceof StorageFault ? fault.code : null, message, stack };
}
