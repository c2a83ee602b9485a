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

interface StopResult {
  /** Whether the session is final now. */
  readonly finalized: boolean;
  readonly reason: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

const NOTHING: StopResult = { finalized: false, reason: "", agentId: null, sessionId: null };

async function stop(report: StopReport, place: HookContext): Promise<StopResult> {
  const { agentId, event } = report;
  if (event !== null && event !== "SubagentStop") return { ...NOTHING, reason: "not_a_stop" };
  if (agentId === null) return { ...NOTHING, reason: "no_agent_id" };
  const settings = dataSettings(place.flags, place.env);
  const store = await openHookStore(settings, place);
  const notFound = { ...NOTHING, reason: "session_not_found", agentId };
  if (store === null) return notFound;
  try {
    const sessionId = (await store.findSession(agentId)) ?? (await findRecorded(store, report));
    if (sessionId === null) return notFound;
    const read = await store.readSession(sessionId);
    if (read.found === "nothing") return notFound;
    if (read.found === "unreadable")
      return { ...NOTHING, reason: "session_invalid", agentId, sessionId };
    return await finalize(store, read.record, report, place.clock());
  } finally {
    await store.close();
  }
}

/** The session that a subagent of Claude Code recorded as its own. */
async function findRecorded(
  store: Store,
  { agentId, agentName }: StopReport,
): Promise<string | null> {
  if (agentName === null) return null;
  const phases = PHASES.filter((phase) => phase !== "initializing" && !isFinal(phase));
  const open = await openSessionsOf(store, agentName, phases);
  return open.find(({ metadata }) => metadata["subagent_id"] === agentId)?.id ?? null;
}

async function finalize(
  store: Store,
  session: SessionRecord,
  report: StopReport,
  at: number,
): Promise<StopResult> {
  const { id: sessionId } = session;
  const result = (finalized: boolean, reason: string): StopResult => ({
    finalized,
    reason,
    agentId: nameOf(session),
    sessionId,
  });
  if (session.finalizedAt !== null) return result(true, "already_finalized");
  const outcome = outcomeOf(session, report);
  if (outcome === null) return result(false, "session_paused");
  const { summary } = report;
  const execution = { sessionId, command: { type: "finalize", at, outcome, summary } } as const;
  const executed = await executeCommand({ store, newId }, execution);
  if (executed.ok) return result(true, "session_finalized");
  const code = "refusal" in executed ? executed.refusal.code : executed.refused;
  // Another process finalized it first.
  return code === "phase_final" ? result(true, "already_finalized") : result(false, code);
}

/**
 * Null when the agent only pauses. Claude Code does not say why a subagent stopped; one that stops in a resumable phase
 * waits for a person.
 */
function outcomeOf({ phase }: SessionRecord, { end, event }: StopReport): Outcome | null {
  if (end === "paused") return null;
  if (end !== "unknown") return end;
  const own = OUTCOMES.find((outcome) => outcome === phase);
  if (own !== undefined) return own;
  return event !== null && isResumable(phase) ? null : "completed";
}

function toAnswer(result: StopResult, report: StopReport | null): HookAnswer {
  const { finalized, reason, agentId, sessionId } = result;
  return {
    output: {
      finalized,
      reason,
      agent_id: agentId,
      ...(isPlain(report) && gaiaFields(result)),
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
function gaiaFields({ finalized, sessionId }: StopResult): Readonly<Record<string, unknown>> {
  return {
    success: true,
    status: finalized ? "session_finalized" : "session_not_finalized",
    session_id: sessionId,
    metrics_captured: false,
    anomalies_detected: 0,
  };
}
