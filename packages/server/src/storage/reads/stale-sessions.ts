import { sql, type RawBuilder } from "kysely";
import type { StaleCounts, StalePage, StaleQuery, StaleSession } from "../ports/retention-store.ts";
import type { Dialect } from "../dialect.ts";
import { hasLiveOwner } from "./live-owner.ts";
import { selectSessions, toRecord } from "./joined-session.ts";
import { isAfter, readable, type Source } from "./source.ts";

/** Oldest first. An unreadable session is reported and left out. */
export async function staleSessions(source: Source, query: StaleQuery): Promise<StalePage> {
  const { after, limit } = query;
  let select = selectSessions(source)
    .where(isStale(source.dialect, query))
    .orderBy("AgentSession.createdAt")
    .orderBy("AgentSession.id")
    .limit(limit);
  if (after !== undefined)
    select = select.where(
      isAfter(["AgentSession.createdAt", "AgentSession.id"], [after.at, after.id]),
    );
  const rows = await select.execute();
  const last = rows.at(-1);
  return {
    sessions: readable(source, "AgentSession", rows, (row): StaleSession => {
      const record = toRecord(source, row, new Map());
      const { id, agentId, agentName, title, lastActiveAt, lastSeq: entries } = record;
      return { id, agentId, agentName, title, lastActiveAt, entries };
    }),
    next: rows.length < limit || last === undefined ? null : { at: last.createdAt, id: last.id },
  };
}

/** One statement, so that the numbers are consistent. */
export async function countStale(
  source: Source,
  { before }: { readonly before: number },
): Promise<StaleCounts> {
  const { rows } = await sql<Record<keyof StaleCounts, number | string | null>>`
    select
      sum(case when ${isStale(source.dialect, { kind: "tracked", before })} then 1 else 0 end) as "stale",
      sum(case when ${isStale(source.dialect, { kind: "conversations", before })} then 1 else 0 end) as "conversations",
      sum(case when ${isOld(before)} and "status" = 'archived' then 1 else 0 end) as "archived",
      sum(case when ${isOld(before)} and "state" <> 'idle' then 1 else 0 end) as "busy",
      sum(case when ${isOld(before)} and "state" = 'idle' and "queued" > 0 then 1 else 0 end) as "queued",
      sum(case when ${isOld(before)} and ${isAtRest} and ${hasLiveOwner(source.dialect)} then 1 else 0 end) as "owned",
      sum(case when "setAside" = 1 then 1 else 0 end) as "unreadable"
    from "AgentSession"`.execute(source.db);
  const [row] = rows;
  return {
    stale: Number(row?.stale ?? 0),
    conversations: Number(row?.conversations ?? 0),
    archived: Number(row?.archived ?? 0),
    busy: Number(row?.busy ?? 0),
    queued: Number(row?.queued ?? 0),
    owned: Number(row?.owned ?? 0),
    unreadable: Number(row?.unreadable ?? 0),
  };
}

/** `deleteStale` checks this again when it deletes. */
export function isStale(
  dialect: Dialect,
  { kind, before }: Pick<StaleQuery, "kind" | "before">,
): RawBuilder<boolean> {
  const isWanted = kind === "tracked" ? sql`not ${isConversation}` : isConversation;
  return sql<boolean>`(${isOld(before)} and ${isAtRest} and ${isWanted} and not ${hasLiveOwner(dialect)})`;
}

const isConversation = sql<boolean>`("AgentSession"."repoId" is not null
  or exists (select 1 from "AgentMessage" where "sessionId" = "AgentSession"."id"))`;

// Activity changes too often for an index. A session older than `before` was also created before it.
function isOld(before: number): RawBuilder<boolean> {
  return sql<boolean>`("setAside" = 0 and "AgentSession"."createdAt" < ${before} and "lastActiveAt" < ${before})`;
}

const isAtRest = sql<boolean>`("status" <> 'archived' and "state" = 'idle' and "queued" = 0)`;
