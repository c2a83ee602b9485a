import type { BranchState, Message, Session, WholeSession } from "@holdfast/protocol";
import { filesText } from "../changes/counts.ts";
import type { StatusWord } from "../api/status-word.ts";
import type { BadgeTone } from "../ui/badge.tsx";

const MIN_AGENTS = 2;
/** More columns do not fit a screen. */
export const MAX_AGENTS = 4;

/** A comparison of the command line may have more. */
const MAX_SHOWN = 10;

/** The sessions that an address names. */
export function idsOf(text: string | undefined): readonly string[] {
  const ids = (text ?? "").split(",").filter((id) => id !== "");
  return [...new Set(ids)].slice(0, MAX_SHOWN);
}

/** Why agents cannot be compared yet; null if they can. */
export function missingText({
  agents,
  message,
  repoId,
}: {
  readonly agents: readonly string[];
  readonly message: string;
  readonly repoId: string;
}): string | null {
  if (repoId === "") return "Choose a repository.";
  if (agents.length < MIN_AGENTS) return "Choose at least two agents.";
  return message.trim() === "" ? "Write what the agents should do." : null;
}

const TONES = {
  New: "plain",
  Queued: "plain",
  Running: "accent",
  "Needs you": "warn",
  Waiting: "plain",
  Done: "ok",
  Failed: "danger",
  Interrupted: "danger",
  Stopped: "plain",
  Paused: "plain",
  Archived: "plain",
} as const satisfies Record<StatusWord, BadgeTone>;

export function toneOf(word: StatusWord): BadgeTone {
  return TONES[word];
}

/** The last text of the agent itself, without sub-agents and runs that were taken back; null if it wrote none. */
export function lastAnswer({
  messages,
  rewoundRuns,
}: Pick<WholeSession, "messages" | "rewoundRuns">): {
  readonly id: string;
  readonly text: string;
} | null {
  const rewound = new Set<string | null>(rewoundRuns);
  for (const { id, role, content, runId } of messages.toReversed()) {
    const text = role === "agent" && !rewound.has(runId) ? answerText(content) : "";
    if (text !== "") return { id, text };
  }
  return null;
}

function answerText({ type, text, parent }: Readonly<Record<string, unknown>>): string {
  return type === "text" && parent === undefined && typeof text === "string" ? text.trim() : "";
}

/** What the agents were asked: the first message of a user. */
export function firstWish(messages: readonly Message[]): string | null {
  const text = messages.find(({ role }) => role === "user")?.content.text;
  return typeof text === "string" ? text : null;
}

/** Why the work of a session cannot be taken now; null if it can. */
export function whyNotTaken({
  state,
  queued,
  worktree,
}: Pick<Session, "state" | "queued" | "worktree">): string | null {
  if (state === "suspended") return "The agent waits for your answer.";
  if (state === "running") return "The agent is at work.";
  if (queued > 0) return "The agent has not begun yet.";
  return worktree === null ? "It has no worktree with work." : null;
}

/** What becomes of the work that is taken, step by step. */
export function takeSteps({
  branch,
  into,
  isClean,
  changedFiles,
  ahead,
}: BranchState): readonly string[] {
  if (into === null) return [];
  const name = branch ?? "its branch";
  if (isClean && ahead === 0) return [];
  return [
    ...(isClean
      ? []
      : [`${filesText(changedFiles)} ${changedFiles === 1 ? "is" : "are"} committed to ${name}.`]),
    `${name} is merged into ${into}. Where ${into} is checked out, its files change, too.`,
  ];
}

/** Whether the branch of the repository has everything already. */
export function isTaken({ into, isClean, ahead }: BranchState): boolean {
  return into !== null && isClean && ahead === 0;
}

/** What archiving the other sessions means. */
export function archiveText(others: readonly Pick<Session, "state">[]): string {
  const running = others.filter(({ state }) => state !== "idle").length;
  const stopped =
    running === 0
      ? ""
      : ` ${running === 1 ? "One is" : `${running} are`} at work and will be stopped.`;
  return `They accept no more messages, and this cannot be undone. Nothing is deleted: you can still read and fork them, and their branches stay.${stopped}`;
}

export function sessionsText(count: number): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}
