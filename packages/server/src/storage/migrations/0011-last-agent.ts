import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { isObject } from "../../domain/json.ts";
import { eachBatch } from "./migration-context.ts";

/**
 * Adds the provider and model of the last run, and keeps one resume point per provider: `{provider, data}` becomes a list
 * of `{provider, data, seen}`, where `seen` is the last run that the agent's own session contains.
 */
export function lastAgent(): Migration {
  return {
    async up(db) {
      await sql`alter table "AgentSession" add column "lastProvider" text`.execute(db);
      await sql`alter table "AgentSession" add column "lastModel" text`.execute(db);
      await sql`update "AgentSession" set "lastProvider" = ${lastRuns("provider")},
        "lastModel" = ${lastRuns("model")}`.execute(db);
      await rewriteResumeData(db, async ({ id, resumeData }) => {
        // The portal's own form names no provider. Nothing can use it, so it stays unchanged.
        if (!isObject(resumeData) || typeof resumeData["provider"] !== "string") return KEEP;
        const { provider, data } = resumeData;
        if (data === undefined) return KEEP;
        const { rows } = await sql<{ id: string }>`select "id" from "Run" where "sessionId" = ${id}
          and "provider" = ${provider} and "attempts" > 0 and "startedAt" is not null
          order by "startedAt" desc, "id" desc limit 1`.execute(db);
        return [{ provider, data, seen: rows[0]?.id ?? null }];
      });
    },
    async down(db) {
      await rewriteResumeData(db, async ({ lastProvider, resumeData }) => {
        if (!Array.isArray(resumeData)) return KEEP;
        const points = resumeData.filter(isObject);
        const last = points.find((point) => point["provider"] === lastProvider);
        if (last !== undefined && lastProvider !== null)
          return { provider: lastProvider, data: last["data"] };
        return points.find((point) => point["provider"] === null)?.["data"] ?? null;
      });
      await sql`alter table "AgentSession" drop column "lastModel"`.execute(db);
      await sql`alter table "AgentSession" drop column "lastProvider"`.execute(db);
    },
  };
}

function lastRuns(column: "provider" | "model") {
  return sql`(select ${sql.ref(`Run.${column}`)} from "Run"
    where "Run"."sessionId" = "AgentSession"."id" and "Run"."startedAt" is not null
    and "Run"."provider" is not null order by "Run"."startedAt" desc, "Run"."id" desc limit 1)`;
}

interface ResumeRow {
  readonly id: string;
  readonly lastProvider: string | null;
  readonly resumeData: unknown;
}

const KEEP = Symbol("keep");
const BATCH = 500;

async function rewriteResumeData(
  db: Kysely<unknown>,
  rewrite: (row: ResumeRow) => Promise<unknown>,
): Promise<void> {
  await eachBatch(
    (after) =>
      sql<{ id: string; lastProvider: string | null; text: string }>`
      select "id", "lastProvider", cast("resumeData" as text) as "text" from "AgentSession"
      where "resumeData" is not null and "id" > ${after} order by "id" limit ${BATCH}`.execute(db),
    async (rows) => {
      for (const { id, lastProvider, text } of rows) {
        const rewritten = await rewrite({ id, lastProvider, resumeData: parsed(text) });
        if (rewritten === KEEP) continue;
        const value = rewritten === null ? null : JSON.stringify(rewritten);
        await sql`update "AgentSession" set "resumeData" = ${value} where "id" = ${id}`.execute(db);
      }
    },
  );
}

/** Undefined for invalid JSON, which stays unchanged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
