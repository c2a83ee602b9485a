import type { SessionEvent } from "./kernel/event.ts";
import type { Json, JsonObject } from "./json.ts";
import { PERMISSIONS_KEY, policyIn } from "./policy/parse-policy.ts";
import { GRANTS_KEY } from "./policy/permission-grant.ts";
import type { PermissionRule } from "./policy/permission-policy.ts";
import { requeueOf } from "./kernel/run-events.ts";
import { activityOf, type Idle, type Session, type Standing, type Waiting } from "./session.ts";

/**
 * What makes a session fit to be carried elsewhere: no agent goes along, so a run at work is cut as if
 * the server had stopped at this moment. What waits for an answer goes on waiting there.
 */
export function cutForExport(session: Session, at: number): readonly SessionEvent[] {
  const activity = activityOf(session);
  if (activity.state !== "running") return [];
  const { id: runId, handed } = activity.run;
  if (!handed) return [requeueOf(activity.run, at)];
  const reason = "the session was exported while the agent was at work";
  return [
    { type: "run.ended", at, runId, result: { outcome: "interrupted", reason }, usage: null },
  ];
}

/**
 * An exported session as it is where it was imported: in the status it had, except that one which only
 * waited for its server is active. What was queued is held: its sender may have it delivered where it
 * came from.
 */
export function asImported(
  exported: Session,
  { at, repoId }: { at: number; repoId: string | null },
): Session {
  const isHeld = exported.queue.length > 0 && exported.delivery === "open";
  return {
    ...exported,
    repoId,
    standing: standingOnArrival(exported, at),
    delivery: isHeld ? "hold" : exported.delivery,
    metadata: withoutAllowances(exported.metadata),
    updatedAt: Math.max(exported.updatedAt, at),
  };
}

/** What agents may do here without asking is not for a file to say. */
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

function standingOnArrival({ standing }: Session, at: number): Standing {
  switch (standing.status) {
    case "active":
      return { status: "active", activity: notRunning(standing.activity) };
    case "suspended":
      if (standing.reason === null) return { status: "active", activity: standing.activity };
      // From now on, as below.
      return { ...standing, suspendedAt: at };
    case "archived":
      return standing;
    case "error":
      // From now on, or retention would remove it again before anybody has looked at it.
      return { ...standing, failedAt: at };
    default:
      return standing satisfies never;
  }
}

function notRunning(activity: ReturnType<typeof activityOf>): Idle | Waiting {
  if (activity.state === "running") throw new Error("unreachable: exported with a run under way");
  return activity;
}
