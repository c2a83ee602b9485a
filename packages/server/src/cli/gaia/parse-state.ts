import { agentIdSchema } from "@holdfast/protocol";
import { withoutAllowances } from "../../domain/carry-over.ts";
import { cleanJson, MAX_JSON_DEPTH } from "../../domain/clean-text.ts";
import { sameJson, type Json, type JsonObject, isObject } from "../../domain/json.ts";
import { isFinal, isResumable, PHASE_HISTORY_KEPT } from "../../domain/phase.ts";
import type { Session } from "../../domain/session.ts";
import {
  BadState,
  countAt,
  flagOrNullAt,
  mismatch,
  objectAt,
  phaseAt,
  textOrNullAt,
  timeAt,
} from "./field-readers.ts";
import { digestOf } from "./state-file.ts";
import type { Tracked } from "./state-file.ts";
import { parseHistory } from "./state-history.ts";
import { parseStateTime, withPythonTimes } from "./state-time.ts";

/** A parsed `state.json`. */
export interface ParsedState {
  /** The agent ID, or the session ID of a session that was exported without one. */
  readonly name: string;
  readonly isOwnId: boolean;
  /** Files that differ only in `last_updated` have the same digest. */
  readonly digest: string;
  /** The whole file, with its times in our form. */
  readonly given: JsonObject;
  /** False when the file has a time in a form that older Pythons cannot read. */
  readonly hasPythonTimes: boolean;
  readonly session: Omit<Tracked, "id" | "agentId" | "lastError"> & Pick<Session, "lastError">;
}

/** Throws `BadState` with the reason. `folder` is the name of a session without `agent_id`. */
export function parseState(text: string, { folder }: { readonly folder: string }): ParsedState {
  const written = parseObject(text);
  const given = withPythonTimes(written);
  const { agent_id: agentId = folder } = given;
  const name = typeof agentId === "string" ? agentId : null;
  if (name === null) throw mismatch("agent_id", "a text", agentId);
  const isOwnId = UUID.test(name);
  if (!isOwnId && !agentIdSchema.safeParse(name).success)
    throw mismatch(
      "agent_id",
      "1 to 128 letters, digits, dots, colons, hyphens or underscores",
      name,
    );
  const digest = digestOf(given);
  const session = parseSession(given, digest);
  return { name, isOwnId, digest, given, hasPythonTimes: sameJson(written, given), session };
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

function parseSession(given: JsonObject, digest: string): ParsedState["session"] {
  const phase = phaseAt("phase", given["phase"]);
  const createdAt = timeAt("created_at", given["created_at"]);
  const history = parseHistory(given["history"]);
  const last = history.at(-1);
  const lastUpdated =
    (given["last_updated"] ?? null) === null
      ? (last?.at ?? createdAt)
      : timeAt("last_updated", given["last_updated"]);
  const updatedAt = Math.max(createdAt, lastUpdated);
  const lastError = errorText(given["last_error"]);
  const lastErrorAt = errorTime(given["last_error"]) ?? updatedAt;
  const finalized = isFinal(phase)
    ? {
        finalizedAt: finalTime(given) ?? (last?.to === phase ? last.at : updatedAt),
        summary: textOrNullAt("summary", given["summary"]),
      }
    : { finalizedAt: null, summary: null };
  return {
    agentName: textOrNullAt("agent_name", given["agent_name"]),
    purpose: textOrNullAt("purpose", given["purpose"]),
    createdAt,
    updatedAt,
    phase,
    metadata: withoutAllowances(objectAt("metadata", given["metadata"] ?? {})),
    resumeReady: flagOrNullAt("resume_ready", given["resume_ready"]) ?? isResumable(phase),
    phaseHistory: history.slice(-PHASE_HISTORY_KEPT),
    errorCount: countAt("error_count", given["error_count"]),
    lastError: lastError === null ? null : { id: digest, text: lastError, at: lastErrorAt },
    ...finalized,
  };
}

function finalTime({ finalized_at: at = null }: JsonObject): number | null {
  return at === null ? null : timeAt("finalized_at", at);
}

/** GAIA's scripts write an object with a message and a time; its documentation has a text. */
function errorText(error: Json | undefined): string | null {
  if (error === undefined || error === null || !isObject(error))
    return textOrNullAt("last_error", error);
  const { message } = error;
  return typeof message === "string" ? message : JSON.stringify(error);
}

function errorTime(error: Json | undefined): number | null {
  const timestamp = error !== undefined && isObject(error) ? error["timestamp"] : null;
  return typeof timestamp === "string" ? parseStateTime(timestamp) : null;
}

function parseObject(text: string): JsonObject {
  const cleaned = cleanJson(parseExactly(text));
  if (!cleaned.ok) throw new BadState(cleaned.refused === "too_deep" ? TOO_DEEP : "is not JSON");
  if (!isObject(cleaned.value)) throw new BadState("is not an object");
  if (!isShallow(cleaned.value, MAX_JSON_DEPTH - KEPT_DEPTH)) throw new BadState(TOO_DEEP);
  return cleaned.value;
}

const TOO_DEEP = "is nested too deeply";
/** The levels that a session and a bundle add around the kept parts of a file. */
const KEPT_DEPTH = 6;

function isShallow(value: Json, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((item: Json) => isShallow(item, depth - 1));
}

/** Python has integers of any length. One that JavaScript would change is refused. */
function parseExactly(text: string): unknown {
  const refuseOther = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    if (typeof value === "number" && source !== undefined && isOther(value, source))
      throw new BadState(`has a number that cannot be kept: ${source.slice(0, 40)}`);
    return value;
  };
  try {
    const parsed: unknown = JSON.parse(text, LONG_NUMBER.test(text) ? refuseOther : undefined);
    return parsed;
  } catch (error) {
    if (error instanceof BadState) throw error;
    if (error instanceof RangeError) throw new BadState(TOO_DEEP);
    throw new BadState(text.trim() === "" ? "is empty" : "is not JSON");
  }
}

const LONG_NUMBER = /\d{16}/u;

function isOther(value: number, source: string): boolean {
  return /^-?\d+$/u.test(source) && (!Number.isFinite(value) || BigInt(source) !== BigInt(value));
}
