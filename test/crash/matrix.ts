import { FAILPOINTS } from "../../packages/server/src/runtime/failpoint.ts";

/** Faults of the server, its agents, its clients or its environment. */
export const FAULTS = [
  "server killed",
  "server killed, agents inside",
  "agent killed",
  "agent misbehaves",
  "both killed",
  "node paused",
  "database busy",
  "disk full",
  "client gone",
  "clock jump",
  "second kill",
] as const;
export type FaultName = (typeof FAULTS)[number];

/** Activity of a session when the fault starts. */
export const SESSION_MOMENTS = [
  "idle",
  "starting",
  "streaming",
  "in a tool",
  "waiting for permission",
  "waiting for a form",
  "waiting for an event",
  "queued",
  "cancelling",
] as const;
export type SessionMoment = (typeof SESSION_MOMENTS)[number];

/** Activity of the server when the fault starts. */
export const SERVER_MOMENTS = ["shutting down", "migrating"] as const;
export type ServerMoment = (typeof SERVER_MOMENTS)[number];
export type Moment = SessionMoment | ServerMoment;
export const MOMENTS: readonly Moment[] = [...SESSION_MOMENTS, ...SERVER_MOMENTS];

/** One fault, injected while sessions are in all their moments, or in one moment of the server. */
export interface PlannedRound {
  readonly fault: FaultName;
  readonly at: "serving" | ServerMoment;
  /** The failpoint at which the process is killed; null means at random. */
  readonly failpoint: string | null;
}

const startsWith = (...prefixes: readonly string[]): readonly string[] =>
  FAILPOINTS.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));

const SERVING = ["command.", "agent.", "run.", "prompt.", "output.", "answer.", "cancel."];

/** The failpoints at which this fault can kill the server. */
function failpointsOf(fault: FaultName, at: PlannedRound["at"]): readonly string[] {
  if (fault === "second kill") return startsWith("recovery.");
  if (fault !== "both killed" && !fault.startsWith("server killed")) return [];
  switch (at) {
    case "serving":
      return startsWith(...SERVING);
    case "shutting down":
      return startsWith("stop.");
    case "migrating":
      return ["migrate.search.created", "migrate.search.indexed"];
    default:
      return at satisfies never;
  }
}

/** A migrating server has no agents. */
export function isPossible(fault: FaultName, at: PlannedRound["at"] | Moment): boolean {
  return fault !== "agent misbehaves" || at !== "migrating";
}

/** Each cell once. Even passes kill at random, odd ones at failpoints. */
export function planPass(pass: number): readonly PlannedRound[] {
  return (["serving", ...SERVER_MOMENTS] as const).flatMap((at) =>
    FAULTS.filter((fault) => isPossible(fault, at)).map((fault) => {
      const points = failpointsOf(fault, at);
      const usesFailpoints = pass % 2 === 1;
      const failpoint = usesFailpoints ? (points[((pass - 1) / 2) % points.length] ?? null) : null;
      return { fault, at, failpoint };
    }),
  );
}
