import { v7 as newId } from "uuid";
import { isFinal, isResumable, OUTCOMES, PHASES, type Outcome } from "../../domain/phase.ts";
import { executeCommand } from "../../runtime/execute-command.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";
import { nameOf } from "../gaia/to-state.ts";
import { dataSettings } from "../settings/settings.ts";
import { openHookStore } from "./hook-store.ts";
import { openSessionsOf } from "./resumable-session.ts";
import {
  runHook,
  type Hook,
  type HookAnswer,
  type HookOptions,
  type HookContext,
} from "./run-hook.ts";
import { parseStopReport, type StopReport } from "./stop-report.ts";

/** Finalizes the session of an agent that has stopped, unless it only paused. Resolves to 0. */
export function subagentStop(options: HookOptions): Promise<number> {
  return runHook(SUBAGENT_STOP, options);
}

export const SUBAGENT_STOP: Hook = {
  name: "subagent-stop",
  answer: async (input, place) => {
    const report = parseStopReport(input);
    return toAnswer(await stop(report, place), report);
  },
  failed: ({ reason, error }, input) => {
    const report = input === null ? null : parseStopReport(input);
    const answer = toAnswer({ ...NOTHING, reason, agentId: report?.agentId ?? null }, report);
    const gaia = isPlain(report) ? { success: false, status: "partial_update" } : {};
    return { ...answer, output: { ...answer.output, ...gaia, error } };
  },
};

interface Stopped {
  /** Whether the session is final now. */
  readonly finalized: boolean;
  readonly reason: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

const NOTHING: Stopped = { finalized: false, reason: "", agentId: null, sessionId: null };

async function stop(report: StopReport, place: HookContext): Promise<Stopped> {
  const { agentId, event } = report;
  if (event !== null && event !== "SubagentStop") return { ...NOTHING, reason: "not_a_stop" };
  if (agentId === null) return { ...NOTHING, reason: "no_agent_id" };
  const settings = dataSettings(place.flags, place.env);
  const store = await openHookStore(settings, place);
  const notFound = { ...NOTHING, reason: "session_not_found", agentId };
  if (store === null) return notFound;
  try {
    const sessionId = (await store.findSession(agentId)) ?? (await findTaken(store, report));
    if (sessionId === null) return notFound;
    const read = await store.readSession(sessionId);
    if (read.found === "nothing") return notFound;
    if (read.found === "unreadable")
      return { ...NOTHING, reason: "session_invalid", agentId, sessionId };
    return await finalize(store, { session: read.record, report, place });
  } finally {
    await store.close();
  }
}

/** The session that a subagent of Claude Code recorded as its own. */
async function findTaken(store: Store, { agentId, agentName }: StopReport): Promise<string | null> {
  if (agentName === null) return null;
  const phases = PHASES.filter((phase) => phase !== "initializing" && !isFinal(phase));
  const open = await openSessionsOf(store, { agentName, phases });
  return open.find(({ metadata }) => metadata["subagent_id"] === agentId)?.id ?? null;
}

async function finalize(
  store: Store,
  {
    session,
    report,
    place,
  }: {
    readonly session: SessionRecord;
    readonly report: StopReport;
    readonly place: HookContext;
  },
): Promise<Stopped> {
  const { id: sessionId } = session;
  const known = { agentId: nameOf(session), sessionId };
  if (session.finalizedAt !== null)
    return { finalized: true, reason: "already_finalized", ...known };
  const outcome = outcomeOf(session, report);
  if (outcome === null) return { finalized: false, reason: "session_paused", ...known };
  const { summary } = report;
  const executed = await executeCommand(
    { store, newId },
    { sessionId, command: { type: "finalize", at: place.clock(), outcome, summary } },
  );
  if (executed.ok) return { finalized: true, reason: "session_finalized", ...known };
  const code = "refusal" in executed ? executed.refusal.code : executed.refused;
  // Another process finalized it first.
  if (code === "phase_final") return { finalized: true, reason: "already_finalized", ...known };
  return { finalized: false, reason: code, ...known };
}

/**
 * Null when the agent only pauses. Claude Code does not say why a subagent stopped; one that stops in a resumable phase
 * waits for somebody.
 */
function outcomeOf({ phase }: SessionRecord, { end, event }: StopReport): Outcome | null {
  if (end === "paused") return null;
  if (end !== "unknown") return end;
  const own = OUTCOMES.find((outcome) => outcome === phase);
  if (own !== undefined) return own;
  return event !== null && isResumable(phase) ? null : "completed";
}

function toAnswer(stopped: Stopped, report: StopReport | null): HookAnswer {
  const { finalized, reason, agentId, sessionId } = stopped;
  return {
    output: {
      finalized,
      reason,
      agent_id: agentId,
      ...(isPlain(report) && gaiaFields(stopped)),
    },
    log: {
      event: report?.event?.slice(0, 100) ?? null,
      agentId,
      sessionId,
      decision: finalized,
      reason,
    },
  };
}

/** Called by an orchestrator such as GAIA, not by Claude Code. */
function isPlain(report: StopReport | null): boolean {
  return report === null || report.event === null;
}

/** The fields of GAIA's own hook. Holdfast captures no such metrics. */
function gaiaFields({ finalized, sessionId }: Stopped): Readonly<Record<string, unknown>> {
  return {
    success: true,
    status: finalized ? "session_finalized" : "session_not_finalized",
    session_id: sessionId,
    metrics_captured: false,
    anomalies_detected: 0,
  };
}
