import { NEW_FOLDER } from "../../domain/files/session-folder.ts";
import { randomUUID } from "node:crypto";
import type { Session } from "../../domain/session.ts";
import type {
  StagedRun,
  ImportAdded,
  ImportBegun,
  ImportEnd,
  ImportFinished,
  ImportPart,
} from "../ports/import-store.ts";
import type { Store } from "../store.ts";
import type { StoredSuspension } from "../ports/run-store.ts";
import { NOON, textOf } from "./session-driver.ts";

/** A session that can be imported in one part. */
export type StagedSession = Omit<ImportPart, "staging"> &
  Omit<ImportEnd, "staging" | "suspensions"> & { readonly open: ImportEnd["suspensions"] };

/** Imports it in one part. A refused import is dropped. */
export async function importWhole(
  store: Store,
  session: StagedSession,
): Promise<ImportBegun | ImportAdded | ImportFinished> {
  const staging = { sessionId: session.session.id, importId: randomUUID() };
  const begun = await store.beginImport({ staging, at: session.at });
  if (!begun.ok) return begun;
  const added = await store.addToImport({ staging, ...partOf(session) });
  const done = added.ok ? await store.finishImport({ staging, ...endOf(session) }) : added;
  if (!done.ok) while (!(await store.dropImport(staging)));
  return done;
}

export function partOf({
  messages,
  runs,
  suspensions,
  queued,
}: StagedSession): Omit<ImportPart, "staging"> {
  return { messages, runs, suspensions, queued };
}

export function endOf(staged: StagedSession): Omit<ImportEnd, "staging"> {
  const { at, session, lastSeq, open: suspensions, notices } = staged;
  return { at, session, lastSeq, suspensions, notices };
}

/** A suspended session with an ended run, a waiting run and a queued message. */
export function stagedSession({
  id = randomUUID(),
  repoId = null,
  title = null,
  text = "hello",
}: {
  id?: string;
  repoId?: string | null;
  title?: string | null;
  text?: string;
}): StagedSession {
  const entry = {
    messageId: `${id}-m3`,
    runId: `${id}-r3`,
    provider: null,
    model: "small",
    settings: { mode: "auto", options: { effort: "low" } },
    continuity: "required",
    attempts: 0,
  } as const;
  const asked = {
    id: `${id}-s2`,
    kind: "question",
    request: { question: "Which?" },
    fingerprint: null,
    createdAt: NOON + 250,
    expiresAt: null,
  } as const;
  const session: Session = {
    id,
    repoId,
    title,
    standing: {
      status: "suspended",
      activity: {
        state: "suspended",
        run: {
          id: `${id}-r2`,
          messageId: `${id}-m2`,
          provider: "demo",
          model: null,
          continuity: "off",
          handed: true,
          attempts: 2,
        },
        suspensions: [asked],
      },
      suspendedAt: NOON + 350,
      reason: "its repository is gone",
    },
    delivery: "hold",
    queue: [entry],
    provider: "demo",
    model: null,
    settings: [{ provider: "demo", mode: "plan", options: { effort: "high", fast: true } }],
    agentName: "ada",
    purpose: null,
    agentId: null,
    metadata: { z: 1, a: [null] },
    mcpServers: {
      echo: { type: "stdio", command: "echo", args: [], env: { A: "b" }, envFrom: { C: "D" } },
    },
    directories: ["/work/docs"],
    ...NEW_FOLDER,
    phase: "planning",
    phaseHistory: [{ from: "initializing", to: "planning", at: NOON + 5 }],
    resumeReady: true,
    errorCount: 3,
    errorTotal: 4,
    lastError: { id: "e", text: "once", at: NOON + 300 },
    lastRun: { provider: "demo", model: "m" },
    supportsResume: true,
    supportsSteering: true,
    resumeData: [{ provider: "demo", data: { at: 1 }, seen: `${id}-r1` }],
    forkedFrom: { sessionId: "parent", atMessage: null },
    createdAt: NOON,
    updatedAt: NOON + 5000,
    lastActiveAt: NOON + 400,
    lastTurn: { at: NOON + 300, outcome: "interrupted", line: "So far." },
    finalizedAt: null,
    summary: null,
  };
  return {
    at: NOON + 5000,
    session,
    lastSeq: 40,
    messages: [
      {
        id: `${id}-m1`,
        runId: `${id}-r1`,
        seq: 3,
        role: "user",
        content: textOf(text),
        at: NOON + 100,
      },
      {
        id: `${id}-m2`,
        runId: `${id}-r2`,
        seq: 9,
        role: "user",
        content: textOf("and"),
        at: NOON + 200,
      },
    ],
    runs: [
      {
        ...run(`${id}-r1`, `${id}-m1`, 100),
        status: "failed",
        error: { code: "agent_exited", message: "gone", detail: null },
        usage: { inputTokens: 1 },
        endedAt: NOON + 150,
      },
      {
        ...run(`${id}-r2`, `${id}-m2`, 200),
        status: "suspended",
        continuity: "off",
        handed: true,
        attempts: 2,
      },
      {
        ...run(`${id}-r3`, `${id}-m3`, 300),
        status: "queued",
        continuity: "required",
        provider: null,
        model: "small",
        attempts: 0,
        startedAt: null,
      },
    ],
    suspensions: [
      {
        ...asked,
        id: `${id}-s1`,
        runId: `${id}-r1`,
        kind: "permission",
        fingerprint: "print",
        createdAt: NOON + 120,
        expiresAt: NOON + 130,
        status: "answered",
        answer: { option: "allow" },
        answeredBy: "ada",
        closedAt: NOON + 125,
      },
    ],
    queued: [{ ...entry, content: textOf("later"), queuedAt: NOON + 300, position: 1 }],
    open: [{ ...asked, runId: `${id}-r2`, ...OPEN }],
    notices: [{ id: `${id}-n`, runId: null, role: "system", content: textOf("Imported.") }],
  };
}

const OPEN = {
  status: "open",
  answer: null,
  answeredBy: null,
  closedAt: null,
} as const satisfies Partial<StoredSuspension>;

function run(id: string, messageId: string, afterMs: number): StagedRun {
  return {
    id,
    messageId,
    status: "completed",
    provider: "demo",
    model: null,
    continuity: "auto",
    handed: false,
    attempts: 1,
    stopReason: null,
    error: null,
    usage: null,
    memory: null,
    unusedAnswers: [],
    changes: null,
    rewoundAt: null,
    queuedAt: NOON + afterMs,
    startedAt: NOON + afterMs + 1,
    endedAt: null,
  };
}
