import type {
  Message,
  OpenSuspension,
  Phase,
  QueuedMessage,
  Run,
  Session,
  WholeSession,
} from "@holdfast/protocol";
import type { Entry } from "./event-log.ts";

export const AT = "2026-01-02T03:04:05.678Z";

export const RUN: Run = {
  id: "run",
  sessionId: "s",
  messageId: "m",
  status: "running",
  provider: "demo",
  model: null,
  attempts: 1,
  stopReason: null,
  error: null,
  usage: null,
  memory: null,
  unusedAnswers: [],
  changes: null,
  rewoundAt: null,
  queuedAt: AT,
  startedAt: AT,
  endedAt: null,
};

export const SESSION: Session = {
  id: "s",
  repoId: "r",
  title: null,
  workspace: "shared",
  worktree: null,
  changes: null,
  rewind: null,
  status: "active",
  state: "idle",
  suspension: null,
  suspensions: [],
  phase: "initializing",
  phaseHistory: [],
  resumeReady: false,
  errorCount: 0,
  lastError: null,
  lastErrorAt: null,
  failure: null,
  agentName: null,
  purpose: null,
  agentId: null,
  mcpServers: {},
  directories: [],
  metadata: {},
  provider: null,
  model: null,
  next: { provider: null, model: null },
  mode: null,
  options: {},
  supportsResume: false,
  supportsSteering: false,
  delivery: "open",
  queued: 0,
  forkedFrom: null,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
  lastActiveAt: AT,
  lastTurn: { at: AT, outcome: null, line: null },
  suspendedAt: null,
  suspendedReason: null,
  archivedAt: null,
  removeAt: null,
  finalizedAt: null,
  summary: null,
};

export const REPOSITORY = { id: "r", path: "/code/r", name: "r", createdAt: AT };

export type Step =
  | { readonly do: "say"; readonly text: string }
  | { readonly do: "grow"; readonly text: string }
  | { readonly do: "complete" }
  | { readonly do: "queue"; readonly length: number }
  | { readonly do: "phase"; readonly to: Phase }
  | { readonly do: "ask" }
  | { readonly do: "answer" }
  | { readonly do: "title"; readonly title: string };

export interface SessionModel {
  take(step: Step): void;
  /** The whole session as the API returns it. */
  whole(): WholeSession;
  /** The current log after a position. */
  entries(after: number): readonly Entry[];
}

/**
 * A session and its log as a server stores them. Text arrives as deltas; the complete message replaces them in the log.
 */
export function createSessionModel(): SessionModel {
  let session: Session = SESSION;
  let messages: readonly Message[] = [];
  let log: readonly (Entry & { readonly messageId: string | null })[] = [];
  let seq = 0;

  const add = (events: Entry["events"], messageId: string | null = null): void => {
    seq += 1;
    log = [...log, { seq, events, messageId }];
  };
  const change = (changes: Partial<Session>, before: Entry["events"] = []): void => {
    session = { ...session, ...changes, version: session.version + 1 };
    add([...before, { name: "session", data: session }]);
  };
  const replace = (message: Message): void => {
    messages = messages.map((other) => (other.id === message.id ? message : other));
  };
  const wait = (suspensions: OpenSuspension[], closed: OpenSuspension | null): void => {
    const told = closed ?? suspensions.at(-1);
    const status = closed === null ? "open" : "answered";
    const suspension = {
      ...told,
      sessionId: "s",
      runId: "run",
      status,
      answer: null,
      answeredBy: null,
      closedAt: closed === null ? null : AT,
    };
    change({ suspensions, suspension: suspensions[0] ?? null }, [
      { name: "suspension", data: suspension },
    ]);
  };

  return {
    take(step) {
      const open = messages.find(({ complete }) => !complete);
      switch (step.do) {
        case "say": {
          const message: Message = {
            id: `m${seq}`,
            sessionId: "s",
            runId: null,
            seq: seq + 1,
            role: "agent",
            content: { type: "text", text: step.text, partial: true },
            complete: false,
            timestamp: AT,
          };
          if (open !== undefined) return;
          messages = [...messages, message];
          return add([{ name: "message", data: message }], message.id);
        }
        case "grow": {
          if (open === undefined) return;
          const text = `${String(open.content["text"])}${step.text}`;
          replace({ ...open, content: { ...open.content, text } });
          const piece = { messageId: open.id, text: step.text };
          return add([{ name: "delta", data: piece }], open.id);
        }
        case "complete": {
          if (open === undefined) return;
          const content = { ...open.content, partial: false };
          const message = { ...open, content, complete: true };
          replace(message);
          log = log.filter(({ messageId }) => messageId !== open.id);
          return add([{ name: "message", data: message }], open.id);
        }
        case "queue": {
          const queue = Array.from({ length: step.length }, (_, index) => queuedMessage(index));
          return change({ queued: queue.length }, [{ name: "queue", data: { queue } }]);
        }
        case "phase": {
          const phaseChange = { from: session.phase, to: step.to, at: AT };
          if (phaseChange.from === phaseChange.to) return;
          const phaseHistory = [...session.phaseHistory, { ...phaseChange, durationMs: 0 }];
          return change({ phase: step.to, phaseHistory }, [{ name: "phase", data: phaseChange }]);
        }
        case "ask":
          return wait([...session.suspensions, suspensionNumber(seq)], null);
        case "answer": {
          const [first, ...rest] = session.suspensions;
          return first === undefined ? undefined : wait(rest, first);
        }
        case "title":
          return change({ title: step.title });
        default:
          return step satisfies never;
      }
    },
    whole: () => ({
      ...session,
      repo: REPOSITORY,
      messages: [...messages],
      rewoundRuns: [],
      earlier: 0,
      lastEventId: String(seq),
    }),
    // An incomplete message contains all text so far, although its deltas are still in the log.
    entries: (after) => log.filter((entry) => entry.seq > after),
  };
}

function suspensionNumber(seq: number): OpenSuspension {
  return { id: `w${seq}`, kind: "question", request: {}, createdAt: AT, expiresAt: null };
}

function queuedMessage(index: number): QueuedMessage {
  return {
    messageId: `q${index}`,
    runId: `run${index}`,
    content: { type: "text", text: "later" },
    provider: null,
    model: null,
    queuedAt: AT,
  };
}
