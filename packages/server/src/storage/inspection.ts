import { migrationStatus } from "./migrations/migrate.ts";
import { isObject } from "../domain/json.ts";
import type { Queryable } from "./dialect.ts";
import { runStatement } from "./prepared.ts";

/** Facts about a database. */
export interface DatabaseInspection {
  /** `nothing`: the file does not exist. `other`: a database without Holdfast's data. */
  readonly holds: "nothing" | "other" | "holdfast";
  /** Migrations that have not run, in order. */
  readonly pending: readonly string[];
  /**
   * The same for every URL and path of one database. Two databases never share it, except physical copies of a
   * whole PostgreSQL cluster. Null when there is no database.
   */
  readonly identity: string | null;
  /** Leases that are valid by the database's clock. */
  readonly leases: readonly LiveLease[];
}

export interface LiveLease {
  /** A server's node id, or the id of an import. */
  readonly id: string;
  /** Null for an import, and for a server too old to have a name. */
  readonly name: string | null;
  readonly expiresInMs: number;
}

/** The part of an inspection that both engines share. */
export async function inspectTables(
  at: Queryable,
): Promise<Pick<DatabaseInspection, "holds" | "pending" | "leases">> {
  const status = await migrationStatus(at, { engine: at.dialect.engine, failpoint: () => {} });
  const executed = status.filter(({ executedAt }) => executedAt !== null);
  const pending = status.filter(({ executedAt }) => executedAt === null);
  const hasLeases = executed.some(({ name }) => name >= FIRST_WITH_LEASES);
  return {
    holds: executed.length === 0 ? "other" : "holdfast",
    pending: pending.map(({ name }) => name),
    leases: hasLeases ? await liveLeases(at) : [],
  };
}

const FIRST_WITH_LEASES = "0002-sessions";

/** Reads all existing columns: the schema may be older or newer than this program. */
async function liveLeases(at: Queryable): Promise<readonly LiveLease[]> {
  const { clock } = at.dialect;
  const rows = await runStatement<{
    readonly node: string;
    readonly about?: string | null;
    readonly expiresInMs: number;
  }>(
    at,
    `select *, "expiresAt" - ${clock} as "expiresInMs" from "NodeLease"
      where "expiresAt" > ${clock} order by "startedAt", "node"`,
    [],
  );
  return rows.map(({ node, about, expiresInMs }) => ({
    id: node,
    name: nameIn(about ?? null),
    expiresInMs: Number(expiresInMs),
  }));
}

function nameIn(about: string | null): string | null {
  try {
    const value: unknown = JSON.parse(about ?? "null");
    const name = isObject(value) ? value["name"] : null;
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}
