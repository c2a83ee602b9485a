import { toWireSession } from "../../http/wire/to-wire.ts";
import { withoutGrants } from "../../runtime/requests/session-metadata.ts";
import type { SessionRecord } from "../../storage/store.ts";
import { nameOf, toState } from "../gaia/to-state.ts";

/** The number of newest phase changes in the answer. */
export const HISTORY_LIMIT = 50;
/** Below the limit of Claude Code for the context from a hook. */
const MAX_NOTES = 4_000;
const MAX_TEXT = 300;
const PHASE_LIMIT = 12;

/** A session to be resumed, in the shape that GAIA's scripts read. */
export function resumeMetadata(session: SessionRecord): Readonly<Record<string, unknown>> {
  const state = toState(toWireSession(session));
  const { phase, history, agent_id: _, resume_ready: __, ...rest } = state;
  return {
    previous_phase: phase,
    ...rest,
    session_metadata: rest.metadata,
    history: history.slice(-HISTORY_LIMIT),
    history_left_out: Math.max(0, history.length - HISTORY_LIMIT),
  };
}

/** Describes a resumable session to the agent that may continue it. */
export function resumeContext(
  session: SessionRecord,
  {
    now,
    subagentId,
    commandOf,
  }: {
    readonly now: number;
    readonly subagentId: string | null;
    /** A command line of Holdfast that works where the agent is. */
    readonly commandOf: (words: readonly string[]) => string;
  },
): string {
  const name = nameOf(session);
  const { agentName, purpose, phase, phaseHistory, lastError, lastActiveAt } = session;
  const link =
    subagentId === null ? [] : ["--metadata", JSON.stringify({ subagent_id: subagentId })];
  const phases = phaseHistory.slice(-PHASE_LIMIT);
  const about = [
    purpose === null ? null : `purpose: ${cut(purpose, MAX_TEXT)}`,
    phases.length === 0
      ? `phase: ${phase}`
      : `phases: ${[phases[0]?.from, ...phases.map(({ to }) => to)].join(" → ")}`,
    lastError === null ? null : `last error: ${cut(lastError.text, MAX_TEXT)}`,
    notesOf(session),
  ].filter((line) => line !== null);
  return [
    `Holdfast keeps an open session of the agent ${agentName ?? "unnamed"}: ${name}, in phase ${phase}, ` +
      `last active ${minutes(now - lastActiveAt)} ago.`,
    `If this work continues it, continue from there instead of starting over. If not, ignore this.`,
    ...about.map((line) => `- ${line}`),
    `To record that you continue it: ${commandOf(["update", name, "--phase", "executing", ...link])}`,
    `To read the whole session: ${commandOf(["get", name])}`,
  ].join("\n");
}

function minutes(ms: number): string {
  return `${Math.max(0, Math.floor(ms / 60_000))} min`;
}

function notesOf({ metadata }: SessionRecord): string | null {
  const own = withoutGrants(metadata);
  return Object.keys(own).length === 0 ? null : `notes: ${cut(JSON.stringify(own), MAX_NOTES)}`;
}

function cut(text: string, length: number): string {
  const rest = text.length - length;
  return rest <= 0 ? text : `${text.slice(0, length)}… (${rest} more characters)`;
}
