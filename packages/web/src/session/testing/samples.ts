import type { Message, Run, Session, Suspension, WholeSession } from "@holdfast/protocol";
import { exampleSession } from "../../api/testing/example-session.ts";

export const AT = "2026-01-01T00:00:00.000Z";

export function sampleSession(more: Partial<Session> = {}): Session {
  const own = { id: "s", repoId: "repo", provider: null, supportsResume: false, version: 3 };
  return exampleSession({ ...own, ...more });
}

export function sampleWhole(more: Partial<WholeSession> = {}): WholeSession {
  return {
    ...sampleSession(),
    repo: null,
    messages: [],
    rewoundRuns: [],
    earlier: 0,
    lastEventId: "7",
    ...more,
  };
}

export function sampleRun(id: string, more: Partial<Run> = {}): Run {
  return {
    id,
    sessionId: "s",
    messageId: `m-${id}`,
    status: "completed",
    provider: "demo",
    model: null,
    attempts: 1,
    stopReason: "end_turn",
    error: null,
    usage: null,
    memory: null,
    unusedAnswers: [],
    changes: null,
    rewoundAt: null,
    queuedAt: AT,
    startedAt: AT,
    endedAt: AT,
    ...more,
  };
}

export function sampleMessage(id: string, more: Partial<Message> = {}): Message {
  return {
    id,
    sessionId: "s",
    runId: null,
    seq: 1,
    role: "user",
    content: { type: "text", text: id },
    complete: true,
    timestamp: AT,
    ...more,
  };
}

export function sampleSuspension(id: string, more: Partial<Suspension> = {}): Suspension {
  return {
    id,
    sessionId: "s",
    runId: "r",
    kind: "permission",
    request: { title: "git push", options: [] },
    createdAt: AT,
    expiresAt: null,
    status: "open",
    answer: null,
    answeredBy: null,
    closedAt: null,
    ...more,
  };
}
