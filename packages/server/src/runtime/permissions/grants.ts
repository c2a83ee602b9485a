import type { Command, CommandOf } from "../../domain/kernel/command.ts";
import type { Json } from "../../domain/json.ts";
import {
  grantOf,
  grantsIn,
  toMetadata,
  withGrant,
  type PermissionGrant,
} from "../../domain/policy/permission-grant.ts";
import type { Session } from "../../domain/session.ts";
import type { Store, StoredSuspension } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";
import { endWithoutLogin } from "../logins/login-question.ts";
import { chosenKind } from "./permission-answer.ts";
import { folderOf } from "./permission-question.ts";
import { permissionSubject } from "./permission-subject.ts";
import { toRefused } from "../command-reply.ts";
import { refuse, type Reply } from "../reply.ts";
import type { OnSession } from "../runtime.ts";
import { withSession } from "../session-snapshot.ts";

type GrantsReply = Reply<{ readonly grants: readonly PermissionGrant[] }>;

/** Decisions for the rest of the session, oldest first. */
export function listGrants(store: Store, sessionId: string): Promise<GrantsReply> {
  return withSession(store, sessionId, ({ metadata }) => ({ grants: grantsIn(metadata) }));
}

/** From now on a person is asked again. Earlier actions are not undone. */
export async function revokeGrant(
  context: RuntimeContext,
  { sessionId, grantId, version }: OnSession & { readonly grantId: string },
): Promise<GrantsReply> {
  const listed = await listGrants(context.store, sessionId);
  if (!listed.ok) return listed;
  if (!listed.grants.some(({ id }) => id === grantId)) {
    return refuse(
      "grant_not_found",
      "Nothing was granted under this id, or it was revoked before.",
    );
  }
  const executed = await context.execute({
    sessionId,
    command: (session) =>
      setGrants(
        context,
        grantsIn(session?.metadata ?? {}).filter(({ id }) => id !== grantId),
      ),
    version,
  });
  return executed.ok ? listGrants(context.store, sessionId) : toRefused(executed);
}

/**
 * The answer to a suspension. An answer for the rest of the session comes with a grant; a refused login
 * ends its run.
 */
export async function answerCommands(
  context: RuntimeContext,
  suspension: StoredSuspension,
  answer: Json,
  by: string | null,
): Promise<(session: Session | null) => readonly Command[]> {
  const at = context.clock();
  const command: CommandOf<"answer"> = {
    type: "answer",
    at,
    suspensionId: suspension.id,
    answer,
    by,
  };
  const grant = await grantIn(context, suspension, command);
  return (session) =>
    grant === null || session === null
      ? [command, ...endWithoutLogin(suspension, answer, at)]
      : [command, setGrants(context, withGrant(grantsIn(session.metadata), grant))];
}

async function grantIn(
  { store, newId }: RuntimeContext,
  { sessionId, kind, request, fingerprint }: StoredSuspension,
  { answer, by, at }: CommandOf<"answer">,
): Promise<PermissionGrant | null> {
  if (kind !== "permission" || fingerprint === null) return null;
  const chosen = chosenKind(request, answer);
  if (chosen !== "allow_always" && chosen !== "reject_always") return null;
  const folder = await folderOf(store, sessionId);
  const subject = await permissionSubject(request, { fingerprint, folder });
  const decision = chosen === "allow_always" ? "allow" : "deny";
  const title = typeof request["title"] === "string" ? request["title"] : kind;
  return grantOf(subject, { id: newId(), decision, title, by, at });
}

function setGrants({ clock }: RuntimeContext, grants: readonly PermissionGrant[]): Command {
  return { type: "update", at: clock(), changes: { metadata: toMetadata(grants) } };
}
