import { FAILPOINTS } from "../../packages/server/src/runtime/failpoint.ts";

/** What is done to a server, its agents, or what they stand on. */
export const FAULTS = [
  "server killed",
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

/** What a session is doing when it is done. */
export const SESSION_MOMENTS = [
  "idle",
  "starting",
  "streaming",
  "in a tool",
  "waiting for permission",
  "waiting for an event",
  "queued",
  "cancelling",
] as const;
export type SessionMoment = (typeof SESSION_MOMENTS)[number];

/** What the server is doing. */
export const SERVER_MOMENTS = ["shutting down", "migrating"] as const;
export type ServerMoment = (typeof SERVER_MOMENTS)[number];
export type Moment = SessionMoment | ServerMoment;
export const MOMENTS: readonly Moment[] = [...SESSION_MOMENTS, ...SERVER_MOMENTS];

/** One fault on one server: on sessions in all their moments at once, or in one moment of the server. */
export interface PlannedRound {
  readonly fault: FaultName;
  readonly at: "serving" | ServerMoment;
  /** The named place where the process ends; null: at random. */
  readonly failpoint: string | null;
}

const startsWith = (...prefixes: readonly string[]): readonly string[] =>
  FAILPOINTS.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));

/** Where a kill can be aimed at. */
function failpointsOf(fault: FaultName, at: PlannedRound["at"]): readonly string[] {
  if (fault === "second kill") return startsWith("recovery.");
  if (fault !== "server killed" && fault !== "both killed") return [];
  switch (at) {
    case "serving":
      return startsWith("command.", "agent.", "run.", "answer.");
    case "shutting down":
      return startsWith("stop.");
    case "migrating":
      return ["migrate.search.created", "migrate.search.indexed"];
    default:
      return at satisfies never;
  }
}

/** A server that migrates has no agents. */
export function isPossible(fault: FaultName, at: PlannedRound["at"] | Moment): boolean {
  return fault !== "agent misbehaves" || at !== "migrating";
}

/** Each cell once in a pass. Kills are aimed at a named place in one pass and made at random in the next. */
export function planPass(pass: number): readonly PlannedRound[] {
  return (["serving", ...SERVER_MOMENTS] as const).flatMap((at) =>
    FAULTS.filter((fault) => isPossible(fault, at)).map((fault) => {
      const points = failpointsOf(fault, at);
      const isAimed = pass % 2 === 1;
      const failpoint = isAimed ? (points[((pass - 1) / 2) % points.length] ?? null) : null;
      return { fault, at, failpoint };
    }),
  );
}
