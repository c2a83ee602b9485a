import { CONTINUITY_POLICIES, STEER_STATES, type QueueEntry } from "../../domain/delivery.ts";
import { parseRunSettings, type RunSettings } from "../../domain/settings/agent-settings.ts";
import { defined } from "../../domain/defined.ts";
import { type Json, isObject } from "../../domain/json.ts";
import {
  RUN_MEMORIES,
  RUN_STATUSES,
  type CurrentRun,
  type RunMemory,
  type UnusedAnswer,
} from "../../domain/run.ts";
import { parseCounts, parseSnapshot } from "../../domain/files/working-files.ts";
import { CLOSINGS, SUSPENSION_KINDS, type Suspension } from "../../domain/suspension.ts";
import { parseContent } from "./message-row.ts";
import { checkTimes, oneOf, parseJsonOrNull, parseObject, UnreadableRow } from "./parse.ts";
import type { QueuedMessage, Run, StoredSuspension } from "../ports/run-store.ts";
import type { QueuedMessageRow, RunRow, SuspensionRow } from "../tables.ts";

export function fromRunRow(row: RunRow): Run {
  checkTimes(row, ["queuedAt", "startedAt", "endedAt", "rewoundAt"]);
  const usage = parseJsonOrNull("usage", row.usage);
  return {
    id: row.id,
    sessionId: row.sessionId,
    messageId: row.messageId,
    status: oneOf(RUN_STATUSES, "status", row.status),
    provider: row.provider,
    model: row.model,
    ...settingsIn(row),
    attempts: row.attempts,
    stopReason: row.stopReason,
    error: parseJsonOrNull("error", row.error),
    usage: isObject(usage) ? usage : null,
    memory: toMemory(parseJsonOrNull("memory", row.memory)),
    unusedAnswers: toUnusedAnswers(parseJsonOrNull("unusedAnswers", row.unusedAnswers)),
    filesBefore: parseSnapshot(parseJsonOrNull("filesBefore", row.filesBefore)),
    filesAfter: parseSnapshot(parseJsonOrNull("filesAfter", row.filesAfter)),
    changes: parseCounts(parseJsonOrNull("changes", row.changes)),
    rewoundAt: row.rewoundAt,
    queuedAt: row.queuedAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
  };
}

/** Telemetry: an invalid value counts as none. */
export function toMemory(json: Json): RunMemory | null {
  if (!isObject(json)) return null;
  const { how, given, of } = json;
  const kind = RUN_MEMORIES.find((each) => each === how);
  if (kind === undefined) return null;
  const counts = typeof given === "number" && typeof of === "number" ? { given, of } : null;
  switch (kind) {
    case "briefed":
    case "told":
      return counts && { how: kind, ...counts };
    case "resumed":
    case "loaded":
    case "forked":
      return { how: kind, ...counts };
    case "live":
    case "none":
      return { how: kind };
    default:
      return kind satisfies never;
  }
}

/** Invalid entries are left out. */
export function toUnusedAnswers(json: Json): readonly UnusedAnswer[] {
  if (!Array.isArray(json)) return [];
  return json.flatMap((item: Json): readonly UnusedAnswer[] => {
    if (!isObject(item)) return [];
    const { suspensionId, title, answer = null } = item;
    const isKnown = typeof suspensionId === "string" && typeof title === "string";
    return isKnown ? [{ suspensionId, title, answer }] : [];
  });
}

/** As a column; null if nothing is chosen. */
export function toSettingsColumn(settings: RunSettings | undefined): string | null {
  return settings === undefined ? null : JSON.stringify(settings);
}

function settingsIn(row: { readonly settings: string | null }): {
  readonly settings?: RunSettings;
} {
  return defined({ settings: parseRunSettings(parseJsonOrNull("settings", row.settings)) });
}

export function toCurrentRun(row: RunRow): CurrentRun {
  if (row.provider === null) throw new UnreadableRow("a run at work without a provider");
  return {
    id: row.id,
    messageId: row.messageId,
    provider: row.provider,
    model: row.model,
    continuity: oneOf(CONTINUITY_POLICIES, "continuity", row.continuity),
    ...settingsIn(row),
    handed: row.handed === 1,
    attempts: row.attempts,
  };
}

export function toQueueEntry(row: QueuedMessageRow): QueueEntry {
  return {
    messageId: row.messageId,
    runId: row.runId,
    provider: row.provider,
    model: row.model,
    continuity: oneOf(CONTINUITY_POLICIES, "continuity", row.continuity),
    ...settingsIn(row),
    attempts: row.attempts,
    ...steerOf(row),
  };
}

export function fromQueuedMessageRow(row: QueuedMessageRow): QueuedMessage {
  checkTimes(row, ["queuedAt"]);
  return {
    messageId: row.messageId,
    runId: row.runId,
    content: parseContent(row.content),
    provider: row.provider,
    model: row.model,
    ...settingsIn(row),
    queuedAt: row.queuedAt,
    ...steerOf(row),
  };
}

function steerOf({ steer }: QueuedMessageRow): Pick<QueueEntry, "steer"> {
  return steer === null ? {} : { steer: oneOf(STEER_STATES, "steer", steer) };
}

export function toSuspension(row: SuspensionRow): Suspension {
  checkTimes(row, ["createdAt", "expiresAt"]);
  return {
    id: row.id,
    kind: oneOf(SUSPENSION_KINDS, "kind", row.kind),
    request: parseObject("request", row.request),
    fingerprint: row.fingerprint,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

export function fromSuspensionRow(row: SuspensionRow): StoredSuspension {
  checkTimes(row, ["closedAt"]);
  return {
    ...toSuspension(row),
    sessionId: row.sessionId,
    runId: row.runId,
    status: oneOf(["open", ...CLOSINGS], "status", row.status),
    answer: parseJsonOrNull("answer", row.answer),
    answeredBy: row.answeredBy,
    closedAt: row.closedAt,
  };
}
