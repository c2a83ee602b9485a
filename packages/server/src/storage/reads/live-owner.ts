import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../dialect.ts";

/** Whether the session's owner has a valid lease, by the database's clock. */
export function hasLiveOwner(dialect: Dialect): RawBuilder<boolean> {
  return sql.raw<boolean>(liveOwner(dialect));
}

/** The same as text. */
export function liveOwner({ clock }: Dialect): string {
  return `exists (select 1 from "NodeLease"
    where "NodeLease"."node" = "AgentSession"."owner" and "NodeLease"."expiresAt" > ${clock})`;
}
