import { sql, type RawBuilder } from "kysely";
import type { Dialect } from "../dialect.ts";

/** Whether the session's owner has a valid lease, by the database's clock. */
export function hasLiveOwner({ now }: Dialect): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from "NodeLease"
    where "NodeLease"."node" = "AgentSession"."owner" and "NodeLease"."expiresAt" > ${now})`;
}
