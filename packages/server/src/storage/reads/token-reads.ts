import { SCOPES } from "../../domain/scope.ts";
import type { AccessToken } from "../access-token.ts";
import { oneOf } from "../rows/parse.ts";
import { readable, type Source } from "./source.ts";

/** First made first, the revoked ones too. */
export async function listTokens(source: Source): Promise<readonly AccessToken[]> {
  const rows = await source.db
    .selectFrom("AccessToken")
    .selectAll()
    .orderBy("createdAt")
    .orderBy("id")
    .execute();
  return readable(rows, {
    source,
    table: "AccessToken",
    idOf: ({ id }) => id,
    read: ({ scope, ...row }) => ({ ...row, scope: oneOf(SCOPES, "scope", scope) }),
  });
}
