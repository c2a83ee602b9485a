import type { SessionEvent } from "./kernel/event.ts";
import type { Json, JsonObject } from "./json.ts";
import { PERMISSIONS_KEY, policyIn } from "./policy/parse-policy.ts";
import { GRANTS_KEY } from "./policy/permission-grant.ts";
import type { PermissionRule } from "./policy/permission-policy.ts";
import { NEW_FOLDER } from "./files/session-folder.ts";
import { cutRun } from "./kernel/run-events.ts";
import { activityOf, type Idle, type Session, type Standing, type Waiting } from "./session.ts";

/**
 * The events that prepare a session for export. A running agent is not exported, so its run is cut off as if
 * the server had stopped. Open suspensions stay open.
 */
export function cutForExport(session: Session, at: number): readonly SessionEvent[] {
  const activity = activityOf(session);
  if (activity.state !== "running") return [];
  return [cutRun(activity.run, at, "the session was exported while the agent was at work")];
}

/**
 * The imported form of an exported session. It keeps its status, but a session that only waited for its
 * server becomes active. Queued messages are held, because the original session may still deliver them.
 */
export function asImported(
  exported: Session,
  { at, repoId }: { at: number; repoId: string | null },
): Session {
  const isHeld = exported.queue.length > 0 && exported.delivery === "open";
  return {
    ...exported,
    repoId,
    standing: standingAfterImport(exported, at),
    delivery: isHeld ? "hold" : exported.delivery,
    metadata: withoutAllowances(exported.metadata),
    // Its folder and the objects of its files are elsewhere.
    ...NEW_FOLDER,
    updatedAt: Math.max(exported.updatedAt, at),
  };
}

/** A file must not grant agents permissions on this server. */
export function withoutAllowances(metadata: JsonObject): JsonObject {
  const { [GRANTS_KEY]: _grants, ...rest } = metadata;
  const policy = policyIn(rest);
  if (policy === null) return rest;
  const strict = (rules: readonly PermissionRule[]): Json =>
    rules.filter(({ decision }) => decision !== "allow").map((rule) => ({ ...rule }));
  const phases = Object.entries(policy.phases).map(([phase, rules]): [string, Json] => [
    phase,
    strict(rules),
  ]);
  const permissions = { rules: strict(policy.rules), phases: Object.fromEntries(phases) };
  return { ...rest, [PERMISSIONS_KEY]: permissions };
}

function standingAfterImport({ standing }: Session, at: number): Standing {
  switch (standing.status) {
    case "active":
      return { status: "active", activity: notRunning(standing.activity) };
    case "suspended":
      if (standing.reason === null) return { status: "active", activity: standing.activity };
      // The retention time starts again, as below.
      return { ...standing, suspendedAt: at };
    case "archived":
      return standing;
    case "error":
      // Otherwise retention might remove the session before anyone sees it.
      return { ...standing, failedAt: at };
    default:
      return standing satisfies never;
  }
}

function notRunning(activity: ReturnType<typeof activityOf>): Idle | Waiting {
  if (activity.state === "running") throw new Error("unreachable: exported with a run in progress");
  return activity;
}
