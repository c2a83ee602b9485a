import { createHash } from "node:crypto";
import type { QueueEntry } from "../../domain/delivery.ts";
import type { JsonObject } from "../../domain/json.ts";
import { withPartial, type Message } from "../../domain/message.ts";
import { currentRunOf, type Session } from "../../domain/session.ts";
import type {
  MessageFormat,
  MessageJson,
  QueuedMessage,
  Repo,
  Run,
  StoredSuspension,
} from "../../storage/store.ts";

/**
 * A bundle is JSON Lines: the header, the session, its repository, runs, suspensions, messages and queue, each on a
 * line, and the end. The end has the number of lines and their checksum, so that an incomplete or changed bundle is
 * detected. Field names are camelCase and times are ISO 8601, as in the API.
 *
 * Version 1 had no checksum. `agentId` may be missing. Bundles of Holdfast 0.1 give plans and tool calls the role
 * `agent`, and lack `partial: false` on complete texts. They have no `lastRun`, and their `resumeData` holds the data
 * of one agent as `{provider, data}`; the last run and the runs that agent has seen are derived from the run lines.
 */
export const BUNDLE_VERSION = 2;

export function headerLine(sessionId: string, at: number): JsonObject {
  return { holdfast: "bundle", version: BUNDLE_VERSION, exportedAt: toTime(at), sessionId };
}

/** The suspensions, the queue and the repository have lines of their own; `resumeReady` follows from the phase. */
export function sessionLine(exported: Session, lastSeq: number): JsonObject {
  const { standing, queue: _, repoId: _repoId, resumeReady: _ready, ...named } = exported;
  // Its folder and the objects of its files are not in the bundle.
  const { workspace: _workspace, files: _files, rewind: _rewind, ...session } = named;
  const { lastError, lastRun, forkedFrom } = session;
  const run = currentRunOf(exported);
  return {
    type: "session",
    ...session,
    status: standing.status,
    failure: standing.status === "error" ? standing.reason : null,
    failedAt: standing.status === "error" ? toTime(standing.failedAt) : null,
    suspendedAt: standing.status === "suspended" ? toTime(standing.suspendedAt) : null,
    suspendedReason: standing.status === "suspended" ? standing.reason : null,
    archivedAt: standing.status === "archived" ? toTime(standing.archivedAt) : null,
    waitingRun: run && { id: run.id, continuity: run.continuity, handed: run.handed },
    phaseHistory: session.phaseHistory.map(({ from, to, at }) => ({ from, to, at: toTime(at) })),
    lastError: lastError && { ...lastError, at: toTimeOrNull(lastError.at) },
    lastRun: lastRun && { ...lastRun },
    forkedFrom: forkedFrom && { ...forkedFrom },
    createdAt: toTime(session.createdAt),
    updatedAt: toTime(session.updatedAt),
    lastActiveAt: toTime(session.lastActiveAt),
    lastTurn: { ...session.lastTurn, at: toTime(session.lastTurn.at) },
    finalizedAt: toTimeOrNull(session.finalizedAt),
    lastSeq,
  };
}

/** Snapshots of files are not in the bundle. */
type ExportedRun = Omit<Run, "filesBefore" | "filesAfter"> & Partial<Run>;

export function repoLine({ path, name }: Repo): JsonObject {
  return { type: "repo", path, name };
}

export function runLine({ sessionId: _, ...exported }: ExportedRun): JsonObject {
  const { filesBefore: _before, filesAfter: _after, ...run } = exported;
  return {
    type: "run",
    ...run,
    changes: run.changes && { ...run.changes },
    rewoundAt: toTimeOrNull(run.rewoundAt),
    queuedAt: toTime(run.queuedAt),
    startedAt: toTimeOrNull(run.startedAt),
    endedAt: toTimeOrNull(run.endedAt),
    unusedAnswers: run.unusedAnswers.map((unused) => ({ ...unused })),
  };
}

export function suspensionLine({ sessionId: _, ...suspension }: StoredSuspension): JsonObject {
  return {
    type: "suspension",
    ...suspension,
    createdAt: toTime(suspension.createdAt),
    expiresAt: toTimeOrNull(suspension.expiresAt),
    closedAt: toTimeOrNull(suspension.closedAt),
  };
}

/** Every message in a bundle is complete, because no agent comes along to finish it. */
export function messageLine(message: Omit<Message, "complete">) {
  const { id, runId, seq, role, at } = message;
  const content = withPartial(message.content, true);
  return { type: "message", id, runId, seq, role, content, at: toTime(at) } satisfies JsonObject;
}

/** The lines of messages, joined by the store. */
export const MESSAGE_LINES: MessageFormat = {
  separator: "\n",
  properties: {
    type: "message",
    id: "id",
    runId: "runId",
    seq: "seq",
    role: "role",
    content: "content",
    at: "time",
  } satisfies Record<keyof ReturnType<typeof messageLine>, MessageFormat["properties"][string]>,
  of: messageLine,
};

export function linesOf({ json, count }: MessageJson): readonly string[] {
  const text = Buffer.from(json.buffer, json.byteOffset, json.byteLength).toString();
  return count === 0 ? [] : text.split("\n");
}

export function queuedLine(
  { steer: _, ...entry }: QueueEntry,
  { content, queuedAt }: Pick<QueuedMessage, "content" | "queuedAt">,
): JsonObject {
  return { type: "queued", ...entry, content, queuedAt: toTime(queuedAt) };
}

/** `lines` includes this line; `sha256` is the checksum of the lines before it. */
export function endLine(lines: number, sha256: string): JsonObject {
  return { type: "end", lines, sha256 };
}

/** The checksum of lines, each followed by a newline. */
export function bundleChecksum() {
  const hash = createHash("sha256");
  return {
    add: (line: string) => void hash.update(line).update("\n"),
    /** Returns the checksum in hexadecimal. Nothing can be added afterwards. */
    end: () => hash.digest("hex"),
  };
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}

function toTimeOrNull(at: number | null): string | null {
  return at === null ? null : toTime(at);
}
