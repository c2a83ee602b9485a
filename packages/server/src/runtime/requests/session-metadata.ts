import type { JsonObject } from "../../domain/json.ts";
import { PERMISSIONS_KEY, parsePolicy } from "../../domain/policy/parse-policy.ts";
import { GRANTS_KEY } from "../../domain/policy/permission-grant.ts";
import { refuse, type Refused } from "../reply.ts";

/** Metadata is the client's own, but for the keys that the server acts on. Null when there is nothing to refuse. */
export function refuseMetadata(metadata: JsonObject): Refused | null {
  if (Object.hasOwn(metadata, GRANTS_KEY)) {
    return refuse(
      "metadata_invalid",
      `metadata.${GRANTS_KEY} is kept by the server: answer with an option for always, or revoke a grant.`,
    );
  }
  const permissions = metadata[PERMISSIONS_KEY] ?? null;
  if (permissions === null) return null;
  const parsed = parsePolicy(permissions);
  if (parsed.ok) return null;
  const where = ["metadata", PERMISSIONS_KEY, parsed.where].filter((part) => part !== "").join(".");
  return refuse("metadata_invalid", `${where}: ${parsed.reason}.`);
}

/** What of a session's metadata another session may have. */
export function withoutGrants(metadata: JsonObject): JsonObject {
  const { [GRANTS_KEY]: _grants, ...rest } = metadata;
  return rest;
}
