import { sql, type Kysely } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * A session knows what its last run used, and keeps what an agent needs to take its own session up again
 * for each provider: `{provider, data}` becomes a list of `{provider, data, seen}`, in which `seen` is the
 * last run that the agent's session was given.
 */
export function lastAgent(): Migration {
  return {
    async up(db) {
      await sql`alter table "AgentSession" add column "lastProvider" text`.execute(db);
      await sql`alter table "AgentSession" add column "lastModel" text`.execute(db);
      await sql`update "AgentSession" set "lastProvider" = ${lastRuns("provider")},
        "lastModel" = ${lastRuns("model")}`.execute(db);
      await rewriteResumeData(db, async ({ id, resumeData }) => {
        const point = asObject(resumeData);
        // The portal's own form names no provider: nobody can use it, and it stays as it is.
        if (typeof point?.["provider"] !== "string" || point["data"] === undefined) return KEEP;
        const { provider, data } = point;
        const { rows } = await sql<{ id: string }>`select "id" from "Run" where "sessionId" = ${id}
          and "provider" = ${provider} and "attempts" > 0 and "startedAt" is not null
          order by "startedAt" desc, "id" desc limit 1`.execute(db);
        return [{ provider, data, seen: rows[0]?.id ?? null }];
      });
    },
    async down(db) {
      await rewriteResumeData(db, async ({ lastProvider, resumeData }) => {
        if (!Array.isArray(resumeData)) return KEEP;
        const points = resumeData.map(asObject);
        const last = points.find((point) => point?.["provider"] === lastProvider);
        if (last !== undefined && lastProvider !== null)
          return { provider: lastProvider, data: last?.["data"] };
        return points.find((point) => point?.["provider"] === null)?.["data"] ?? null;
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
  let last = "";
  for (;;) {
    const { rows } = await sql<{ id: string; lastProvider: string | null; text: string }>`
      select "id", "lastProvider", cast("resumeData" as text) as "text" from "AgentSession"
      where "resumeData" is not null and "id" > ${last} order by "id" limit ${BATCH}`.execute(db);
    for (const { id, lastProvider, text } of rows) {
      const rewritten = await rewrite({ id, lastProvider, resumeData: parsed(text) });
      if (rewritten === KEEP) continue;
      const value = rewritten === null ? null : JSON.stringify(rewritten);
      await sql`update "AgentSession" set "resumeData" = ${value} where "id" = ${id}`.execute(db);
    }
    last = rows.at(-1)?.id ?? last;
    if (rows.length < BATCH) return;
  }
}

/** What cannot be read is left for those who look at the row. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}
