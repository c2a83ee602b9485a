import { CONTINUITY_POLICIES, DELIVERY_POLICIES, type QueueEntry } from "../../domain/delivery.ts";
import type { JsonObject } from "../../domain/json.ts";
import {
  currentRole,
  ROLES,
  unfinishedContent,
  type MessageContent,
} from "../../domain/message.ts";
import { isFinal, isResumable, PHASE_HISTORY_KEPT, PHASES } from "../../domain/phase.ts";
import { parseResumePoints } from "../../domain/resume-point.ts";
import { RUN_STATUSES, type CurrentRun } from "../../domain/run.ts";
import type { Session, Standing } from "../../domain/session.ts";
import { STATUSES } from "../../domain/status.ts";
import { CLOSINGS, SUSPENSION_KINDS } from "../../domain/suspension.ts";
import { toMemory, toUnusedAnswers } from "../../storage/rows/run-row.ts";
import type { ArrivingMessage, ArrivingSuspension } from "../../storage/arrival.ts";
import type { Run } from "../../storage/store.ts";
import { BUNDLE_VERSION } from "./bundle-lines.ts";
import {
  BadLine,
  countIn,
  flagIn,
  idIn,
  idOrNullIn,
  jsonIn,
  listIn,
  objectIn,
  objectOrNullIn,
  oneOfIn,
  textIn,
  textOrNullIn,
  timeIn,
  timeOrNullIn,
} from "./line-fields.ts";

export type BundleMessage = ArrivingMessage;
export type BundleRun = Omit<Run, "sessionId">;
export type BundleSuspension = ArrivingSuspension;

/** What the line of the session says. What it waits for and its queue stand in lines of their own. */
export interface BundleSession {
  readonly session: Omit<Session, "standing" | "queue" | "repoId">;
  readonly status: Standing["status"];
  readonly failure: { readonly reason: string; readonly failedAt: number } | null;
  /** Of a suspended session. Bundles of 0.1 do not have it. */
  readonly suspended: { readonly suspendedAt: number; readonly reason: string | null } | null;
  readonly archivedAt: number | null;
  /** What only the session knows of the run that waits; the rest stands in the run's own line. */
  readonly waitingRun: Pick<CurrentRun, "id" | "continuity" | "handed"> | null;
  readonly lastSeq: number;
  /** Of 0.1: its last run, and what agents have seen, follow from the lines of its runs. */
  readonly isOfOld: boolean;
}

export interface BundleQueued {
  readonly entry: QueueEntry;
  readonly content: MessageContent;
  readonly queuedAt: number;
}

export interface BundleHeader {
  readonly version: number;
  readonly sessionId: string;
}

/** Throws `BadLine` when it is not the header of a bundle that this program knows. */
export function parseHeader(line: JsonObject): BundleHeader {
  if (line["holdfast"] !== "bundle") throw new BadLine("is not the header of a bundle");
  const version = countIn(line, "version");
  if (version < 1 || version > BUNDLE_VERSION)
    throw new BadLine(
      `is of version ${version}; this program reads versions 1 to ${BUNDLE_VERSION}`,
    );
  return { version, sessionId: idIn(line, "sessionId") };
}

export function parseSession(line: JsonObject): BundleSession {
  const status = oneOfIn(line, "status", STATUSES);
  const phase = oneOfIn(line, "phase", PHASES);
  const finalizedAt = timeOrNullIn(line, "finalizedAt");
  if (finalizedAt !== null && !isFinal(phase))
    throw new BadLine(`finalizedAt is given, and the phase is ${phase}`);
  const waitingRun = objectOrNullIn(line, "waitingRun");
  if (waitingRun !== null && status !== "active" && status !== "suspended")
    throw new BadLine(`waitingRun is given, and the status is ${status}`);
  return {
    status,
    failure:
      status === "error"
        ? { reason: textIn(line, "failure"), failedAt: timeIn(line, "failedAt") }
        : null,
    suspended: status === "suspended" ? parseSuspended(line) : null,
    archivedAt: status === "archived" ? timeIn(line, "archivedAt") : null,
    waitingRun: waitingRun && parseWaitingRun(waitingRun),
    lastSeq: countIn(line, "lastSeq"),
    isOfOld: !("lastRun" in line),
    session: {
      id: idIn(line, "id"),
      title: textOrNullIn(line, "title"),
      delivery: oneOfIn(line, "delivery", DELIVERY_POLICIES),
      provider: textOrNullIn(line, "provider"),
      model: textOrNullIn(line, "model"),
      agentName: textOrNullIn(line, "agentName"),
      purpose: textOrNullIn(line, "purpose"),
      // Bundles of old do not have it.
      agentId: "agentId" in line ? textOrNullIn(line, "agentId") : null,
      metadata: objectIn(line, "metadata"),
      phase,
      phaseHistory: parsePhaseHistory(line),
      resumeReady: isResumable(phase),
      errorCount: countIn(line, "errorCount"),
      errorTotal: countIn(line, "errorTotal" in line ? "errorTotal" : "errorCount"),
      lastError: parseLastError(line),
      lastRun: parseLastRun(line),
      supportsResume: flagIn(line, "supportsResume"),
      resumeData: parseResumePoints(jsonIn(line, "resumeData")),
      forkedFrom: parseForkOrigin(line),
      createdAt: timeIn(line, "createdAt"),
      updatedAt: timeIn(line, "updatedAt"),
      lastActiveAt: timeIn(line, "lastActiveAt"),
      finalizedAt,
      summary: textOrNullIn(line, "summary"),
    },
  };
}

function parseSuspended(line: JsonObject): BundleSession["suspended"] {
  const at = "suspendedAt" in line ? timeOrNullIn(line, "suspendedAt") : null;
  const reason = "suspendedReason" in line ? textOrNullIn(line, "suspendedReason") : null;
  return { suspendedAt: at ?? timeIn(line, "updatedAt"), reason };
}

function parseWaitingRun(run: JsonObject): BundleSession["waitingRun"] {
  return {
    id: idIn(run, "id"),
    continuity: oneOfIn(run, "continuity", CONTINUITY_POLICIES),
    handed: flagIn(run, "handed"),
  };
}

function parsePhaseHistory(line: JsonObject): Session["phaseHistory"] {
  const changes = listIn(line, "phaseHistory");
  if (changes.length > PHASE_HISTORY_KEPT)
    throw new BadLine(`phaseHistory has more than ${PHASE_HISTORY_KEPT} changes`);
  return changes.map((change) => ({
    from: oneOfIn(change, "from", PHASES),
    to: oneOfIn(change, "to", PHASES),
    at: timeIn(change, "at"),
  }));
}

function parseLastError(line: JsonObject): Session["lastError"] {
  const error = objectOrNullIn(line, "lastError");
  if (error === null) return null;
  // Bundles of old do not have the time.
  const at = "at" in error ? timeOrNullIn(error, "at") : null;
  return { id: textIn(error, "id"), text: textIn(error, "text"), at };
}

function parseLastRun(line: JsonObject): Session["lastRun"] {
  const run = "lastRun" in line ? objectOrNullIn(line, "lastRun") : null;
  return run && { provider: textIn(run, "provider"), model: textOrNullIn(run, "model") };
}

function parseForkOrigin(line: JsonObject): Session["forkedFrom"] {
  const origin = objectOrNullIn(line, "forkedFrom");
  return (
    origin && { sessionId: idIn(origin, "sessionId"), atMessage: idOrNullIn(origin, "atMessage") }
  );
}

export function parseRepo(line: JsonObject): { readonly path: string } {
  return { path: textIn(line, "path") };
}

export function parseRun(line: JsonObject): BundleRun {
  return {
    id: idIn(line, "id"),
    messageId: idIn(line, "messageId"),
    status: oneOfIn(line, "status", RUN_STATUSES),
    provider: textOrNullIn(line, "provider"),
    model: textOrNullIn(line, "model"),
    attempts: countIn(line, "attempts"),
    stopReason: textOrNullIn(line, "stopReason"),
    error: jsonIn(line, "error"),
    usage: objectOrNullIn(line, "usage"),
    memory: toMemory(line["memory"] ?? null),
    // Not in bundles of old.
    unusedAnswers: toUnusedAnswers(line["unusedAnswers"] ?? []),
    queuedAt: timeIn(line, "queuedAt"),
    startedAt: timeOrNullIn(line, "startedAt"),
    endedAt: timeOrNullIn(line, "endedAt"),
  };
}

export function parseSuspension(line: JsonObject): BundleSuspension {
  return {
    id: idIn(line, "id"),
    runId: idIn(line, "runId"),
    kind: oneOfIn(line, "kind", SUSPENSION_KINDS),
    request: objectIn(line, "request"),
    fingerprint: textOrNullIn(line, "fingerprint"),
    status: oneOfIn(line, "status", ["open", ...CLOSINGS]),
    answer: jsonIn(line, "answer"),
    answeredBy: textOrNullIn(line, "answeredBy"),
    createdAt: timeIn(line, "createdAt"),
    expiresAt: timeOrNullIn(line, "expiresAt"),
    closedAt: timeOrNullIn(line, "closedAt"),
  };
}

export function parseMessage(line: JsonObject): BundleMessage {
  const content = parseContent(line);
  return {
    id: idIn(line, "id"),
    runId: idOrNullIn(line, "runId"),
    seq: countIn(line, "seq"),
    role: currentRole(oneOfIn(line, "role", ROLES), content),
    // No agent comes with it that could end a call.
    content: unfinishedContent(content),
    at: timeIn(line, "at"),
  };
}

export function parseQueued(line: JsonObject): BundleQueued {
  return {
    entry: {
      messageId: idIn(line, "messageId"),
      runId: idIn(line, "runId"),
      provider: textOrNullIn(line, "provider"),
      model: textOrNullIn(line, "model"),
      continuity: oneOfIn(line, "continuity", CONTINUITY_POLICIES),
      attempts: countIn(line, "attempts"),
    },
    content: parseContent(line),
    queuedAt: timeIn(line, "queuedAt"),
  };
}

function parseContent(line: JsonObject): MessageContent {
  const content = objectIn(line, "content");
  return { ...content, type: textIn(content, "type") };
}
