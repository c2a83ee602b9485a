import type { Command } from "../../domain/kernel/command.ts";
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
import { chosenKind } from "./permission-answer.ts";
import { folderOf } from "./permission-question.ts";
import { permissionSubject } from "./permission-subject.ts";
import { toRefused } from "../command-reply.ts";
import { noSuchSession, refuse, type Reply } from "../reply.ts";
import type { OnSession } from "../runtime.ts";
import { snapshotOf } from "../session-snapshot.ts";

type GrantsReply = Reply<{ readonly grants: readonly PermissionGrant[] }>;

/** Decisions for the rest of the session, oldest first. */
export async function listGrants(store: Store, sessionId: string): Promise<GrantsReply> {
  const session = await snapshotOf(store, sessionId);
  return session === null ? noSuchSession() : { ok: true, grants: grantsIn(session.metadata) };
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
      keep(
        context,
        (session === null ? [] : grantsOf(session)).filter(({ id }) => id !== grantId),
      ),
    version,
  });
  return executed.ok ? listGrants(context.store, sessionId) : toRefused(executed);
}

/** The answer to a suspension. An answer for the rest of the session comes with a grant. */
export async function answerCommands(
  context: RuntimeContext,
  {
    suspension,
    answer,
    by,
  }: { readonly suspension: StoredSuspension; readonly answer: Json; readonly by: string | null },
): Promise<(session: Session | null) => readonly Command[]> {
  const at = context.clock();
  const answering: Command = { type: "answer", at, suspensionId: suspension.id, answer, by };
  const grant = await grantIn(context, { suspension, answer, by, at });
  return (session) =>
    grant === null || session === null
      ? [answering]
      : [answering, keep(context, withGrant(grantsOf(session), grant))];
}

async function grantIn(
  { store, newId }: RuntimeContext,
  {
    suspension: { sessionId, kind, request, fingerprint },
    answer,
    by,
    at,
  }: {
    readonly suspension: StoredSuspension;
    readonly answer: Json;
    readonly by: string | null;
    readonly at: number;
  },
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

function grantsOf({ metadata }: Session): readonly PermissionGrant[] {
  return grantsIn(metadata);
}

function keep({ clock }: RuntimeContext, grants: readonly PermissionGrant[]): Command {
  return { type: "update", at: clock(), changes: { metadata: toMetadata(grants) } };
}
