import { NEW_RUN_FILES } from "../../domain/files/working-files.ts";
import { NEW_FOLDER } from "../../domain/files/session-folder.ts";
import type { Message } from "../../domain/message.ts";
import type { NodeView } from "../../runtime/cluster/node-view.ts";
import type {
  Measurements,
  QueuedMessage,
  Readiness,
  Repo,
  Run,
  Sent,
  StoredSuspension,
} from "../../runtime/runtime.ts";
import type { SessionSnapshot } from "../../runtime/session-snapshot.ts";
import type { RuntimeRefusal } from "../../runtime/reply.ts";
import { toWireMessage } from "../wire/to-wire.ts";

export const NOON = Date.UTC(2026, 0, 31, 12);

export function session(more: Partial<SessionSnapshot> = {}): SessionSnapshot {
  return {
    id: "s1",
    agentId: null,
    repoId: "repo1",
    title: "The build",
    status: "active",
    state: "idle",
    suspensions: [],
    phase: "planning",
    phaseHistory: [{ from: "initializing", to: "planning", at: NOON }],
    resumeReady: true,
    errorCount: 1,
    errorTotal: 1,
    lastError: { id: "e1", text: "it broke", at: NOON },
    failure: null,
    agentName: "builder",
    purpose: "to build",
    metadata: { ticket: 42 },
    mcpServers: {},
    directories: [],
    provider: "demo",
    model: null,
    settings: [],
    supportsResume: true,
    supportsSteering: false,
    lastRun: { provider: "gemini", model: "pro" },
    resumeData: [{ provider: "demo", data: { secret: "of the agent" }, seen: null }],
    delivery: "open",
    queued: 0,
    forkedFrom: null,
    ...NEW_FOLDER,
    version: 7,
    lastSeq: 40,
    createdAt: NOON,
    updatedAt: NOON + 1,
    lastActiveAt: NOON + 2,
    lastTurn: { at: NOON + 1, outcome: "failed", line: "I could not." },
    suspendedAt: null,
    suspendedReason: null,
    archivedAt: null,
    failedAt: null,
    removeAt: null,
    finalizedAt: null,
    summary: null,
    ...more,
  };
}

/** `session()` as JSON. */
export const WIRE_SESSION = {
  id: "s1",
  agentId: null,
  repoId: "repo1",
  title: "The build",
  status: "active",
  state: "idle",
  suspension: null,
  suspensions: [],
  phase: "planning",
  phaseHistory: [
    { from: "initializing", to: "planning", at: "2026-01-31T12:00:00.000Z", durationMs: 0 },
  ],
  resumeReady: true,
  errorCount: 1,
  lastError: "it broke",
  lastErrorAt: "2026-01-31T12:00:00.000Z",
  failure: null,
  agentName: "builder",
  purpose: "to build",
  metadata: { ticket: 42 },
  mcpServers: {},
  directories: [],
  provider: "demo",
  model: null,
  next: { provider: "demo", model: null },
  mode: null,
  options: {},
  supportsResume: true,
  supportsSteering: false,
  delivery: "open",
  queued: 0,
  forkedFrom: null,
  workspace: "shared",
  worktree: null,
  changes: null,
  rewind: null,
  version: 7,
  createdAt: "2026-01-31T12:00:00.000Z",
  updatedAt: "2026-01-31T12:00:00.001Z",
  lastActiveAt: "2026-01-31T12:00:00.002Z",
  lastTurn: { at: "2026-01-31T12:00:00.001Z", outcome: "failed", line: "I could not." },
  suspendedAt: null,
  suspendedReason: null,
  archivedAt: null,
  removeAt: null,
  finalizedAt: null,
  summary: null,
} as const;

export function message(more: Partial<Message> = {}): Message {
  return {
    id: "m1",
    sessionId: "s1",
    runId: "r1",
    seq: 3,
    role: "agent",
    content: { type: "text", text: "hello" },
    complete: true,
    at: NOON,
    ...more,
  };
}

/** As the store joins them. */
export function messageJson(...messages: readonly Message[]): Buffer {
  return Buffer.from(messages.map((each) => JSON.stringify(toWireMessage(each))).join(","));
}

export function run(more: Partial<Run> = {}): Run {
  return {
    id: "r1",
    sessionId: "s1",
    messageId: "m1",
    status: "running",
    provider: "demo",
    model: null,
    attempts: 1,
    stopReason: null,
    error: null,
    usage: null,
    memory: null,
    unusedAnswers: [],
    ...NEW_RUN_FILES,
    queuedAt: NOON,
    startedAt: NOON + 1,
    endedAt: null,
    ...more,
  };
}

export function sent(more: Partial<Sent> = {}): Sent {
  return {
    messageId: "m1",
    content: { type: "text", text: "hello" },
    at: NOON,
    run: run(),
    queued: false,
    position: null,
    waitsFor: null,
    ...more,
  };
}

export function suspension(more: Partial<StoredSuspension> = {}): StoredSuspension {
  return {
    id: "q1",
    sessionId: "s1",
    runId: "r1",
    kind: "permission",
    request: { title: "rm -r build" },
    fingerprint: "only for the server",
    createdAt: NOON,
    expiresAt: null,
    status: "open",
    answer: null,
    answeredBy: null,
    closedAt: null,
    ...more,
  };
}

export function queued(more: Partial<QueuedMessage> = {}): QueuedMessage {
  return {
    messageId: "m2",
    runId: "r2",
    content: { type: "text", text: "and then" },
    provider: null,
    model: null,
    queuedAt: NOON,
    ...more,
  };
}

export const REPO: Repo = { id: "repo1", path: "/work/project", name: "project", createdAt: NOON };

export const READY: Readiness = {
  ready: true,
  reason: null,
  database: { engine: "sqlite", schema: "0004-memory" },
  sessions: { active: 2, suspended: 1, archived: 4, error: 0, badge: 3 },
  setAside: 0,
  damage: [],
};

export const MEASURED: Measurements = {
  sessions: [
    { status: "active", state: "idle", count: 3 },
    { status: "active", state: "running", count: 2 },
  ],
  runsEnded: { completed: 5, failed: 1, cancelled: 0, interrupted: 0 },
  queuedMessages: 4,
  liveAgents: 2,
  busyAgents: 1,
  agentLimit: 5,
  damage: 0,
  feedReaders: 7,
  feedReadersDropped: 1,
  eventLag: { buckets: [{ le: 0.01, count: 2 }], count: 3, sum: 0.5 },
  commitLatency: { buckets: [], count: 0, sum: 0 },
};

export function refusal(more: Partial<RuntimeRefusal> = {}): {
  readonly ok: false;
  readonly refusal: RuntimeRefusal;
} {
  return {
    ok: false,
    refusal: {
      code: "session_not_found",
      message: "There is no session s1.",
      status: null,
      state: null,
      ...more,
    },
  };
}

export function nodeView(more: Partial<NodeView> = {}): NodeView {
  return {
    node: "n1",
    name: "one",
    version: "1.2.3",
    labels: ["gpu"],
    capacity: 5,
    busy: 1,
    taken: 2,
    missing: ["repo2"],
    draining: false,
    letsGo: false,
    alive: true,
    startedAt: NOON,
    ...more,
  };
}
