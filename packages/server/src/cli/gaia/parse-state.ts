import { withoutAllowances } from "../../domain/carry-over.ts";
import { cleanJson, MAX_JSON_DEPTH } from "../../domain/clean-text.ts";
import { sameJson, type Json, type JsonObject, isObject } from "../../domain/json.ts";
import { isFinal, isResumable, PHASE_HISTORY_KEPT } from "../../domain/phase.ts";
import type { Session } from "../../domain/session.ts";
import { digestOf, type Tracked } from "./state-file.ts";
import { BadState, isSessionId, parseFields } from "./state-schema.ts";
import { parseStateTime, withPythonTimes } from "./state-time.ts";

/** A parsed `state.json`. */
export interface ParsedState {
  /** The agent ID, or the session ID of a session that was exported without one. */
  readonly name: string;
  readonly isOwnId: boolean;
  /** Files that differ only in `last_updated` have the same digest. */
  readonly digest: string;
  /** The whole file, with its times in our form. */
  readonly contents: JsonObject;
  /** False when the file has a time in a form that older Pythons cannot read. */
  readonly hasPythonTimes: boolean;
  readonly session: Omit<Tracked, "id" | "agentId" | "lastError"> & Pick<Session, "lastError">;
}

/** Throws `BadState` with the reason. `folder` is the name of a session without `agent_id`. */
export function parseState(text: string, { folder }: { readonly folder: string }): ParsedState {
  const written = parseObject(text);
  const contents = withPythonTimes(written);
  const fields = parseFields({ agent_id: folder, ...contents });
  const { agent_id: name } = fields;
  const digest = digestOf(contents);
  return {
    name,
    isOwnId: isSessionId(name),
    digest,
    contents,
    hasPythonTimes: sameJson(written, contents),
    session: toSession(fields, digest),
  };
}

function toSession(fields: ReturnType<typeof parseFields>, digest: string): ParsedState["session"] {
  const { phase, created_at: createdAt, history, last_error: error } = fields;
  const last = history?.at(-1);
  const updatedAt = Math.max(createdAt, fields.last_updated ?? last?.at ?? createdAt);
  const endedAt = fields.finalized_at ?? (last?.to === phase ? last.at : updatedAt);
  return {
    agentName: fields.agent_name ?? null,
    purpose: fields.purpose ?? null,
    createdAt,
    updatedAt,
    phase,
    metadata: withoutAllowances(fields.metadata ?? {}),
    resumeReady: fields.resume_ready ?? isResumable(phase),
    phaseHistory: history?.slice(-PHASE_HISTORY_KEPT) ?? [],
    errorCount: fields.error_count ?? 0,
    lastError: error == null ? null : { id: digest, ...parseError(error, updatedAt) },
    finalizedAt: isFinal(phase) ? endedAt : null,
    summary: fields.summary ?? null,
  };
}

function parseError(error: string | JsonObject, updatedAt: number): { text: string; at: number } {
  if (typeof error === "string") return { text: error, at: updatedAt };
  const { message, timestamp } = error;
  const at = typeof timestamp === "string" ? parseStateTime(timestamp) : null;
  return {
    text: typeof message === "string" ? message : JSON.stringify(error),
    at: at ?? updatedAt,
  };
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
