import type { Appended, AppendRefused, Output, OutputItem } from "../ports/transcript-store.ts";
import { holds } from "./commit-change.ts";
import { contentText } from "../rows/message-row.ts";
import { EventLog } from "./event-log.ts";
import {
  addMessage,
  completeMessage,
  findMessage,
  insertMessage,
  replaceMessage,
} from "./message-writes.ts";
import { lockSession, type Transaction } from "./transaction.ts";
import { runStatement, runWrite } from "../prepared.ts";

/** Stores output of an agent. Refused once the run has ended. */
export async function appendOutput(
  transaction: Transaction,
  request: Output,
): Promise<Appended | AppendRefused> {
  const grown = await appendGrowth(transaction, request);
  if (grown !== null) return grown;
  const { sessionId, fence, items, after = 0 } = request;
  // Together: the lock comes first, whoever waits for it.
  const [lock, isCurrent, areOpen] = await Promise.all([
    lockSession(transaction, sessionId),
    isCurrentRun(transaction, request),
    messagesAreOpen(transaction, request),
  ]);
  if (lock === undefined || !holds(fence, lock)) return { ok: false, refused: "fenced" };
  if (lock.lastSeq < after) return { ok: false, refused: "output_lost", lastSeq: lock.lastSeq };
  // A clock that jumps back must not make the history run backwards.
  const at = Math.max(request.at, lock.updatedAt);
  const output = { ...request, at };
  if (!isCurrent) return { ok: false, refused: "run_not_current" };
  const earlier = request.wasTried === true ? await storedBefore(transaction, request) : null;
  if (earlier !== null) return earlier;
  if (!areOpen) return { ok: false, refused: "message_not_found" };

  const log = new EventLog(sessionId, lock.lastSeq);
  for (const item of items) await putItem(transaction, log, item, output);
  await log.store(transaction);
  await runWrite(
    transaction,
    `update "AgentSession" set "lastSeq" = ?, "updatedAt" = ?, "lastActiveAt" = ?, "agentCursor" = ? where "id" = ?`,
    [log.lastSeq, at, at, request.agentCursor ?? lock.agentCursor, sessionId],
  );
  return { ok: true, firstSeq: log.firstSeq, lastSeq: log.lastSeq, at };
}

/**
 * The common case on SQLite in few statements: the first one checks everything and takes the numbers of the entries. Null if
 * it stored nothing: the output is of another kind, or it is refused. Then `appendOutput` decides.
 */
async function appendGrowth(transaction: Transaction, output: Output): Promise<Appended | null> {
  const growth = transaction.dialect.writesAlone ? growthOf(output) : null;
  if (growth === null) return null;
  const { sessionId, runId, fence, after = 0, agentCursor = null } = output;
  const { entries, opened, grown } = growth;
  const areOpen = `? = (select count(*) from "AgentMessage" where "id" in (select value from json_each(?)) and "sessionId" = ? and "complete" = 0)`;
  const [stored] = await runStatement<{ readonly lastSeq: number; readonly at: number }>(
    transaction,
    `update "AgentSession" set "lastSeq" = "lastSeq" + ?, "updatedAt" = max("updatedAt", ?),
        "lastActiveAt" = max("updatedAt", ?), "agentCursor" = coalesce(?, "agentCursor")
      where "id" = ? and "owner" = ? and "epoch" = ? and "lastSeq" >= ?
        and exists (select 1 from "Run" where "id" = ? and "sessionId" = ? and "status" in ('running', 'suspended'))
        ${grown.length > 0 ? `and ${areOpen}` : ""}
      returning "lastSeq", "updatedAt" as "at"`,
    [
      entries.length,
      output.at,
      output.at,
      agentCursor,
      sessionId,
      fence.node,
      fence.epoch,
      after,
      runId,
      sessionId,
      ...(grown.length > 0 ? [grown.length, JSON.stringify(grown), sessionId] : []),
    ],
  );
  if (stored === undefined) return null;
  const { lastSeq, at } = stored;
  const before = lastSeq - entries.length;
  for (const { place, ...message } of opened) {
    const row = { sessionId, runId, seq: before + place, complete: 0, timestamp: at };
    await insertMessage(transaction, { ...message, ...row });
  }
  const numbered = entries.map((entry) => ({ ...entry, seq: before + entry.seq, at }));
  await transaction.dialect.addEntries(transaction, numbered);
  return { ok: true, firstSeq: before + 1, lastSeq, at };
}

/**
 * Returns the result of an earlier attempt that stored the same output: the log then has an entry for its last item. The
 * caller holds the session's lock, so an earlier attempt has ended, or it waits and will store nothing, because the row has
 * changed. The run is current: the end of a run adds entries for its incomplete messages.
 */
async function storedBefore(
  transaction: Transaction,
  { sessionId, items, after = 0 }: Output,
): Promise<Appended | null> {
  const last = items.at(-1);
  if (last === undefined) return null;
  const messageId = last.put === "message" ? last.message.id : last.messageId;
  const [entry] = await runStatement<{ readonly seq: number; readonly at: number }>(
    transaction,
    `select "seq", "at" from "SessionEvent" where "sessionId" = ? and "seq" > ? and "messageId" = ? order by "seq" desc limit 1`,
    [sessionId, after, messageId],
  );
  if (entry === undefined) return null;
  return { ok: true, firstSeq: after + 1, lastSeq: entry.seq, at: entry.at };
}

async function putItem(
  transaction: Transaction,
  log: EventLog,
  item: OutputItem,
  { runId, at }: Output,
): Promise<void> {
  switch (item.put) {
    case "message":
      return addMessage(transaction, log, { ...item.message, runId }, at, item.complete);
    case "text":
      return log.addText(item.messageId, item.text, at);
    case "content":
    case "end": {
      await log.store(transaction); // the deltas must be stored before they can be replaced
      if (item.put === "end") return completeMessage(transaction, log, item.messageId, at);
      const row = await findMessage(transaction, item.messageId);
      if (row === undefined) throw new Error("unreachable: an open message is missing");
      return replaceMessage(transaction, log, row, item.content, at, item.complete);
    }
    default:
      return item satisfies never;
  }
}

async function isCurrentRun(
  transaction: Transaction,
  { sessionId, runId }: Output,
): Promise<boolean> {
  const [run] = await runStatement<{ readonly id: string }>(
    transaction,
    `select "id" from "Run" where "sessionId" = ? and "status" in ('running', 'suspended')`,
    [sessionId],
  );
  return run?.id === runId;
}

/** Whether every message that the output changes exists, belongs to the session and is incomplete. */
async function messagesAreOpen(
  transaction: Transaction,
  { sessionId, items }: Output,
): Promise<boolean> {
  const open = new Set<string>();
  const stored = new Set<string>();
  const closed = new Set<string>();
  for (const item of items) {
    if (item.put === "message") {
      (item.complete ? closed : open).add(item.message.id);
      continue;
    }
    if (closed.has(item.messageId)) return false;
    if (!open.has(item.messageId)) stored.add(item.messageId);
    if (item.put === "end" || (item.put === "content" && item.complete)) closed.add(item.messageId);
  }
  if (stored.size === 0) return true;
  const rows = await runStatement(
    transaction,
    `select "id" from "AgentMessage" where "id" in (${[...stored].map(() => "?").join(", ")}) and "sessionId" = ? and "complete" = 0`,
    [...stored, sessionId],
  );
  return rows.length === stored.size;
}

/** Output that only adds: new messages that are incomplete, and more text of open messages. */
export interface Growth {
  readonly entries: EventLog["pending"];
  readonly opened: readonly {
    readonly id: string;
    /** The place of its entry among the entries, from 1. */
    readonly place: number;
    readonly role: string;
    readonly content: string;
  }[];
  /** The stored messages that get more text. */
  readonly grown: readonly string[];
}

/** Null if the output does more, or may have been stored before. The entries are numbered from 1. */
export function growthOf({ sessionId, items, wasTried = false }: Output): Growth | null {
  if (wasTried) return null;
  const log = new EventLog(sessionId, 0);
  const opened = new Map<string, Growth["opened"][number]>();
  const grown = new Set<string>();
  for (const item of items) {
    if (item.put === "text") {
      log.addText(item.messageId, item.text, 0);
      if (!opened.has(item.messageId)) grown.add(item.messageId);
    } else if (item.put === "message" && !item.complete && !opened.has(item.message.id)) {
      const { id, role, content } = item.message;
      const place = log.nextSeq;
      log.addMessage(id, 0, null, 0);
      opened.set(id, { id, place, role, content: contentText(content, false) });
    } else {
      return null;
    }
  }
  return { entries: log.pending, opened: [...opened.values()], grown: [...grown] };
}
