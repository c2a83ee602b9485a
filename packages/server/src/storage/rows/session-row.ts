import { DELIVERY_POLICIES, type QueueEntry } from "../../domain/delivery.ts";
import { evolve } from "../../domain/kernel/evolve.ts";
import { parseKeptSettings } from "../../domain/settings/agent-settings.ts";
import { parseDirectories, parseMcpServers } from "../../domain/mcp-server.ts";
import { PHASES, type PhaseChange } from "../../domain/phase.ts";
import { parseResumePoints } from "../../domain/resume-point.ts";
import { RUN_OUTCOMES, type CurrentRun } from "../../domain/run.ts";
import {
  IDLE,
  stateOf,
  type Activity,
  type ForkOrigin,
  type Session,
  type Standing,
} from "../../domain/session.ts";
import { parseWorkspace, type SessionWorkspace } from "../../domain/files/session-folder.ts";
import { parseRewind, parseSessionFiles } from "../../domain/files/working-files.ts";
import { LEGAL_STATES, STATES, STATUSES, type State } from "../../domain/status.ts";
import type { Suspension } from "../../domain/suspension.ts";
import {
  checkTimes,
  oneOf,
  parseJson,
  parseJsonOrNull,
  parseObject,
  toFlag,
  UnreadableRow,
} from "./parse.ts";
import { isObject, type JsonObject } from "../../domain/json.ts";
import type { SessionRecord, StoredSession } from "../ports/session-store.ts";
import { STAGED, type SessionRow } from "../tables.ts";

/** The columns that a session determines. The write path sets the others. */
export type SessionColumns = Omit<
  SessionRow,
  "version" | "lastSeq" | "owner" | "epoch" | "agentCursor" | "setAside"
>;

export function toSessionColumns(session: Session): SessionColumns {
  const { standing } = session;
  return {
    id: session.id,
    agentId: session.agentId,
    repoId: session.repoId,
    title: session.title,
    status: standing.status,
    state: stateOf(session),
    phase: session.phase,
    phaseHistory: JSON.stringify(session.phaseHistory),
    resumeReady: toFlag(session.resumeReady),
    errorCount: session.errorCount,
    errorTotal: session.errorTotal,
    lastError: session.lastError?.text ?? null,
    lastErrorId: session.lastError?.id ?? null,
    lastErrorAt: session.lastError?.at ?? null,
    agentName: session.agentName,
    purpose: session.purpose,
    metadata: JSON.stringify(session.metadata),
    provider: session.provider,
    model: session.model,
    lastProvider: session.lastRun?.provider ?? null,
    lastModel: session.lastRun?.model ?? null,
    mcpServers: jsonUnlessEmpty(session.mcpServers),
    directories: jsonUnlessEmpty(session.directories),
    supportsResume: toFlag(session.supportsResume),
    supportsSteering: toFlag(session.supportsSteering),
    resumeData: session.resumeData.length === 0 ? null : JSON.stringify(session.resumeData),
    settings: session.settings.length === 0 ? null : JSON.stringify(session.settings),
    workspace: isPlain(session.workspace) ? null : JSON.stringify(session.workspace),
    files: session.files === null ? null : JSON.stringify(session.files),
    rewind: session.rewind === null ? null : JSON.stringify(session.rewind),
    delivery: session.delivery,
    queued: session.queue.length,
    forkedFrom: session.forkedFrom === null ? null : JSON.stringify(session.forkedFrom),
    failure: standing.status === "error" ? standing.reason : null,
    summary: session.summary,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    lastActiveAt: session.lastActiveAt,
    lastTurnAt: session.lastTurn.at,
    lastOutcome: session.lastTurn.outcome,
    lastLine: session.lastTurn.line,
    suspendedAt: standing.status === "suspended" ? standing.suspendedAt : null,
    suspendedReason: standing.status === "suspended" ? standing.reason : null,
    archivedAt: standing.status === "archived" ? standing.archivedAt : null,
    failedAt: standing.status === "error" ? standing.failedAt : null,
    finalizedAt: session.finalizedAt,
  };
}

function isPlain({ kind, base, worktree, pullRequest }: SessionWorkspace): boolean {
  return kind === "shared" && base === null && worktree === null && pullRequest === undefined;
}

function jsonUnlessEmpty(value: JsonObject | readonly string[]): string | null {
  return Object.keys(value).length === 0 ? null : JSON.stringify(value);
}

function present<Value>(column: string, value: Value | undefined): Value {
  if (value === undefined) throw new UnreadableRow(`${column} has an invalid value`);
  return value;
}

function valid<Value>(column: string, value: Value | null): Value {
  if (value === null) throw new UnreadableRow(`${column} has an invalid value`);
  return value;
}

/** A session that is being imported: only its ID is known. */
export function stagedRow(id: string, importId: string, at: number): SessionRow {
  const names = { agentId: null, title: null, agentName: null, purpose: null, metadata: {} };
  const origin = { repoId: null, provider: null, model: null, forkedFrom: null };
  const session = evolve(null, { type: "session.created", at, id, ...names, ...origin });
  if (session === null) throw new Error("unreachable: a created session exists");
  const columns = toSessionColumns({ ...session, delivery: "hold" });
  const rest = { version: 0, lastSeq: 0, owner: importId, epoch: 0, agentCursor: null };
  return { ...columns, ...rest, setAside: STAGED };
}

/** The columns of a session's row. */
export const SESSION_COLUMNS: readonly string[] = Object.keys(stagedRow("", "", 0));

/** Throws `UnreadableRow` when the row is no valid session. */
export function fromSessionRow(
  row: SessionRow,
  suspensions: readonly Suspension[],
): Omit<SessionRecord, "removeAt"> {
  const status = oneOf(STATUSES, "status", row.status);
  const state = oneOf(STATES, "state", row.state);
  const legal: readonly State[] = LEGAL_STATES[status];
  if (!legal.includes(state)) throw new UnreadableRow(`${status} and ${state} do not go together`);
  checkTimes(row, ["createdAt", "updatedAt", "lastActiveAt", "archivedAt", "finalizedAt"]);
  return {
    id: row.id,
    agentId: row.agentId,
    repoId: row.repoId,
    title: row.title,
    status,
    state,
    suspensions,
    phase: oneOf(PHASES, "phase", row.phase),
    phaseHistory: parsePhaseHistory(row.phaseHistory),
    resumeReady: row.resumeReady === 1,
    errorCount: row.errorCount,
    errorTotal: row.errorTotal,
    lastError:
      row.lastError === null
        ? null
        : { id: row.lastErrorId ?? "", text: row.lastError, at: row.lastErrorAt },
    agentName: row.agentName,
    purpose: row.purpose,
    metadata: parseObject("metadata", row.metadata),
    provider: row.provider,
    model: row.model,
    lastRun:
      row.lastProvider === null ? null : { provider: row.lastProvider, model: row.lastModel },
    mcpServers: valid(
      "mcpServers",
      parseMcpServers(parseJson("mcpServers", row.mcpServers ?? "{}")),
    ),
    directories: valid(
      "directories",
      parseDirectories(parseJson("directories", row.directories ?? "[]")),
    ),
    supportsResume: row.supportsResume === 1,
    supportsSteering: row.supportsSteering === 1,
    resumeData: parseResumePoints(parseJsonOrNull("resumeData", row.resumeData)),
    settings: parseKeptSettings(parseJsonOrNull("settings", row.settings)),
    workspace: present("workspace", parseWorkspace(parseJsonOrNull("workspace", row.workspace))),
    files: present("files", parseSessionFiles(parseJsonOrNull("files", row.files))),
    rewind: present("rewind", parseRewind(parseJsonOrNull("rewind", row.rewind))),
    delivery: oneOf(DELIVERY_POLICIES, "delivery", row.delivery),
    queued: row.queued,
    forkedFrom: parseForkOrigin(row.forkedFrom),
    failure: row.failure,
    summary: row.summary,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    lastActiveAt: row.lastActiveAt,
    lastTurn: {
      at: row.lastTurnAt,
      outcome:
        row.lastOutcome === null ? null : oneOf(RUN_OUTCOMES, "lastOutcome", row.lastOutcome),
      line: row.lastLine,
    },
    suspendedAt: row.suspendedAt,
    suspendedReason: row.suspendedReason,
    archivedAt: row.archivedAt,
    failedAt: row.failedAt,
    finalizedAt: row.finalizedAt,
    version: row.version,
    lastSeq: row.lastSeq,
  };
}

/** The session: its row with its current run and its queue. */
export function toSession(
  record: SessionRecord,
  work: { run: CurrentRun | null; queue: readonly QueueEntry[] },
): Session {
  const { status, state, suspensions, queued: _, failure, archivedAt, ...named } = record;
  const { failedAt, suspendedAt, suspendedReason, removeAt, version, lastSeq, ...rest } = named;
  const activity = toActivity({ state, suspensions, run: work.run });
  return { ...rest, queue: work.queue, standing: toStanding(record, activity) };
}

/** The reverse of `toSession`: what a read of the stored session returns. */
export function recordOfSession({
  session: { standing, queue, ...rest },
  version,
  lastSeq,
}: Pick<StoredSession, "session" | "version" | "lastSeq">): Omit<SessionRecord, "removeAt"> {
  const activity = "activity" in standing ? standing.activity : IDLE;
  const isSuspended = standing.status === "suspended";
  return {
    ...rest,
    status: standing.status,
    state: activity.state,
    suspensions: activity.state === "suspended" ? activity.suspensions : [],
    queued: queue.length,
    failure: standing.status === "error" ? standing.reason : null,
    suspendedAt: isSuspended ? standing.suspendedAt : null,
    suspendedReason: isSuspended ? standing.reason : null,
    archivedAt: standing.status === "archived" ? standing.archivedAt : null,
    failedAt: standing.status === "error" ? standing.failedAt : null,
    version,
    lastSeq,
  };
}

function toStanding(record: SessionRecord, activity: Activity): Standing {
  const { status, failure, archivedAt, failedAt, suspendedAt, updatedAt } = record;
  switch (status) {
    case "active":
      return { status, activity };
    case "suspended":
      if (activity.state === "running") throw new UnreadableRow("suspended with a run under way");
      return {
        status,
        activity,
        suspendedAt: suspendedAt ?? updatedAt,
        reason: record.suspendedReason,
      };
    case "archived":
      return { status, archivedAt: archivedAt ?? updatedAt };
    case "error":
      return { status, reason: failure ?? "", failedAt: failedAt ?? updatedAt };
    default:
      return status satisfies never;
  }
}

function toActivity({
  state,
  run,
  suspensions,
}: {
  state: State;
  run: CurrentRun | null;
  suspensions: readonly Suspension[];
}): Activity {
  if (state === "idle") return IDLE;
  if (run === null) throw new UnreadableRow(`${state} without a run`);
  if (state === "running") return { state, run };
  const [first, ...more] = suspensions;
  if (first === undefined) throw new UnreadableRow("suspended without a suspension");
  return { state, run, suspensions: [first, ...more] };
}

/** Throws `UnreadableRow` when the text is no valid history. */
export function parsePhaseHistory(text: string): readonly PhaseChange[] {
  const parsed = parseJson("phaseHistory", text);
  if (!Array.isArray(parsed)) throw new UnreadableRow("phaseHistory is not a list");
  return parsed.map((change) => {
    if (!isObject(change) || typeof change["at"] !== "number") {
      throw new UnreadableRow("phaseHistory has an entry that is not a change");
    }
    checkTimes({ phaseHistory: change["at"] }, ["phaseHistory"]);
    return {
      from: oneOf(PHASES, "phaseHistory", change["from"]),
      to: oneOf(PHASES, "phaseHistory", change["to"]),
      at: change["at"],
    };
  });
}

function parseForkOrigin(text: string | null): ForkOrigin | null {
  if (text === null) return null;
  const { sessionId, atMessage } = parseObject("forkedFrom", text);
  if (typeof sessionId !== "string") throw new UnreadableRow("forkedFrom names no session");
  return { sessionId, atMessage: typeof atMessage === "string" ? atMessage : null };
}
