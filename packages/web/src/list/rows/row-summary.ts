import type { OpenSuspension, Session } from "@holdfast/protocol";
import { isForPerson } from "../../api/for-person.ts";
import { statusWord, type StatusWord } from "../../api/status-word.ts";
import { waitsFor } from "./waits-for.ts";

export interface RowSummary {
  /** Null if the dot and the text say enough. */
  readonly word: StatusWord | null;
  /** What a person is asked; it stands before the text. */
  readonly request: OpenSuspension | null;
  readonly text: string | null;
  readonly tone: "plain" | "accent" | "warn" | "danger";
}

const TONES: Partial<Record<StatusWord, RowSummary["tone"]>> = {
  "Needs you": "warn",
  Running: "accent",
  Queued: "accent",
  Failed: "danger",
  Interrupted: "danger",
};

/** The second line of a row: the status, and what it waits for or what was said last, unless a search shows another line. */
export function summaryOf(
  session: Session,
  {
    name,
    hasHit,
    hasStep,
  }: {
    readonly name: string;
    readonly hasHit: boolean;
    /** The step of the agent stands before the text. */
    readonly hasStep: boolean;
  },
): RowSummary {
  const word = statusWord(session);
  const { suspensions, queued, phase, agentName, failure, suspendedReason, lastTurn } = session;
  const request = suspensions.find(isForPerson) ?? null;
  const [waits] = suspensions;
  const parts = [
    waits === undefined || request !== null ? null : waitsFor(waits),
    failure,
    suspendedReason,
    // Nobody set the first phase.
    phase === "initializing" || word !== "Running" ? null : phase,
    queued === 0 ? null : `${queued} queued`,
    waits === undefined && !hasHit && !hasStep ? lastTurn.line : null,
    agentName === name ? null : agentName,
  ].filter((part) => part !== null && part !== "");
  const text = parts.length === 0 ? null : parts.join(" · ");
  return {
    word: hasStep || (word === "Done" && text !== null) ? null : word,
    request,
    text,
    tone: TONES[word] ?? "plain",
  };
}
