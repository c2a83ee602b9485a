import { randomUUID } from "node:crypto";
import type { StagedMessage, StagedRun, StagedSuspension } from "../ports/import-store.ts";
import type { Store } from "../store.ts";
import { stagedSession } from "./staged-session.ts";
import { NOON, textOf } from "./session-driver.ts";

const PART = 500;
/** Messages per run: one of the user, the others of the agent. */
const PER_RUN = 5;

/** One of this many messages is long. */
const PER_LONG = 10;

export interface LongSession {
  readonly messages: number;
  /** Length of a long message. */
  readonly longLength: number;
}

/** An idle session with any number of messages. */
export async function addLongSession(
  store: Store,
  { messages: count, longLength }: LongSession,
): Promise<string> {
  const { session } = stagedSession({ title: "A long one" });
  const at = NOON + count;
  const sessionId = session.id;
  const staging = { sessionId, importId: randomUUID() };
  await store.beginImport({ staging, at });
  for (let start = 0; start < count; start += PART) {
    const numbers = Array.from({ length: Math.min(PART, count - start) }, (_, n) => start + n);
    const firsts = numbers.filter((n) => n % PER_RUN === 0);
    await store.addToImport({
      staging,
      runs: firsts.map((n) => runAt(sessionId, n)),
      suspensions: firsts.map((n) => suspensionAt(sessionId, n)),
      messages: numbers.map((n) => messageAt(sessionId, n, longLength)),
      queued: [],
    });
  }
  const archived = {
    ...session,
    standing: { status: "archived", archivedAt: at },
    queue: [],
    updatedAt: at,
    lastActiveAt: at,
  } as const;
  const lastSeq = count + 1;
  await store.finishImport({
    staging,
    at,
    session: archived,
    lastSeq,
    suspensions: [],
    notices: [],
  });
  return sessionId;
}

function messageAt(sessionId: string, n: number, longLength: number): StagedMessage {
  const isFirst = n % PER_RUN === 0;
  const said = `Message ${n} says word${n % 1_000}, "quoted", größer, in /src/file-${n % 97}.ts. `;
  const times = n % PER_LONG === 0 ? Math.ceil(longLength / said.length) : 1;
  return {
    id: `${sessionId}-m${n}`,
    runId: `${sessionId}-r${n - (n % PER_RUN)}`,
    seq: n + 2,
    role: isFirst ? "user" : "agent",
    content: textOf(said.repeat(times)),
    at: NOON + n,
  };
}

function runAt(sessionId: string, n: number): StagedRun {
  return {
    id: `${sessionId}-r${n}`,
    messageId: `${sessionId}-m${n}`,
    status: "completed",
    provider: "demo",
    model: null,
    continuity: "auto",
    handed: true,
    attempts: 1,
    stopReason: "end_turn",
    error: null,
    usage: { inputTokens: n },
    memory: null,
    unusedAnswers: [],
    changes: null,
    rewoundAt: null,
    queuedAt: NOON + n,
    startedAt: NOON + n,
    endedAt: NOON + n + 4,
  };
}

function suspensionAt(sessionId: string, n: number): StagedSuspension {
  return {
    id: `${sessionId}-s${n}`,
    runId: `${sessionId}-r${n}`,
    kind: "permission",
    request: { tool: "write", path: `file-${n}` },
    fingerprint: null,
    status: "answered",
    answer: { option: "allow" },
    answeredBy: "ada",
    createdAt: NOON + n,
    expiresAt: null,
    closedAt: NOON + n + 1,
  };
}
