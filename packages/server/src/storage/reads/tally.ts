import { sql } from "kysely";
import { STATES, STATUSES, type State, type Status } from "../../domain/status.ts";
import type { Tally } from "../ports/stats-store.ts";
import type { Source } from "./source.ts";

/**
 * Only what is under way is counted session by session: the idle ones are the rest of each status. One
 * statement, so that a session that begins to work is not subtracted where it has not been counted.
 */
export async function tally(source: Source): Promise<Tally> {
  const { db } = source;
  const busy = db
    .selectFrom("AgentSession")
    .select(["status", "state", ({ fn }) => fn.countAll<number>().as("total")])
    .where("setAside", "=", sql.lit(0))
    .where("state", "<>", sql.lit("idle"))
    // The same once more, or SQLite takes another index for the sake of the groups.
    .where("state", "in", BUSY)
    .groupBy(["status", "state"]);
  const rows = await db
    .selectFrom("SessionTally")
    .select(["status", sql<string>`${ALL}`.as("state")])
    .select(({ fn }) => fn.sum<number>("count").as("total"))
    .groupBy("status")
    .unionAll(busy)
    .execute();
  const totals = new Map(
    rows.map(({ status, state, total }) => [`${status} ${state}`, Number(total)]),
  );
  const countOf = (status: Status, state: State): number => {
    if (state !== "idle") return totals.get(`${status} ${state}`) ?? 0;
    const busyCount = BUSY.map((other) => totals.get(`${status} ${other}`) ?? 0).reduce(
      (sum, count) => sum + count,
      0,
    );
    return (totals.get(`${status} ${ALL}`) ?? 0) - busyCount;
  };
  const { queued } = await db
    .selectFrom("AgentSession")
    .select(({ fn }) => fn.sum<number | null>("queued").as("queued"))
    .where("queued", ">", sql.lit(0))
    .where("setAside", "=", sql.lit(0))
    .executeTakeFirstOrThrow();
  return {
    sessions: STATUSES.flatMap((status) =>
      STATES.map((state) => ({ status, state, count: countOf(status, state) })),
    ).filter(({ count }) => count > 0),
    queuedMessages: Number(queued ?? 0),
  };
}

const ALL = "all";
const BUSY = STATES.filter((state) => state !== "idle");
