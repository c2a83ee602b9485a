import type * as wire from "@holdfast/protocol";
import { hash } from "node:crypto";
import { canonicalJson, type Json, type JsonObject } from "../../domain/json.ts";
import type { LastError, Session } from "../../domain/session.ts";
import { asGiven, keptIn, ownMetadata } from "./kept-state.ts";
import { historyWith, toEntry } from "./state-history.ts";
import { toStateTime, withPythonTimes } from "./state-time.ts";

/** The fields of a session in GAIA's `state.json`. */
export interface Tracked extends Pick<
  Session,
  | "id"
  | "agentId"
  | "agentName"
  | "purpose"
  | "createdAt"
  | "updatedAt"
  | "phase"
  | "metadata"
  | "resumeReady"
  | "phaseHistory"
  | "errorCount"
  | "finalizedAt"
  | "summary"
> {
  readonly lastError: Pick<LastError, "text" | "at"> | null;
}

/** GAIA's defaults for a missing agent name and purpose. */
const UNNAMED = { agent: "unknown", purpose: "general" } as const;

/** The `state.json` of a session: imported values where nothing has changed since, with times in UTC. */
export function toStateFile(session: Tracked): JsonObject {
  const fields = stateFields(session);
  const kept = keptIn(session.metadata);
  if (kept === null) return fields;
  const { history } = kept;
  return withPythonTimes(
    asGiven(
      history.length === 0
        ? fields
        : { ...fields, history: historyWith(history, session.phaseHistory) },
      kept.fields,
    ),
  );
}

/** GAIA's fields in its order, without imported values. */
export function stateFields(session: Tracked): JsonObject {
  const { createdAt, finalizedAt, summary } = session;
  return {
    ...commonFields(session),
    ...(finalizedAt !== null && {
      finalized_at: toStateTime(finalizedAt),
      ...(summary !== null && { summary }),
      duration_seconds: Math.max(0, finalizedAt - createdAt) / 1_000,
    }),
  };
}

/** GAIA's fields of every session, final or not. */
export function commonFields(session: Tracked) {
  return {
    agent_id: session.agentId ?? session.id,
    agent_name: session.agentName ?? UNNAMED.agent,
    purpose: session.purpose ?? UNNAMED.purpose,
    created_at: toStateTime(session.createdAt),
    last_updated: toStateTime(session.updatedAt),
    phase: session.phase,
    metadata: ownMetadata(session.metadata),
    resume_ready: session.resumeReady,
    history: session.phaseHistory.map(toEntry),
    error_count: session.errorCount,
    last_error: errorOf(session),
  };
}

/** An error without a time gets the time of the last change. */
function errorOf({ lastError, updatedAt }: Tracked) {
  if (lastError === null) return null;
  const { text, at } = lastError;
  return { message: text, timestamp: toStateTime(at ?? updatedAt) };
}

export function fromWire(session: wire.Session): Tracked {
  const { createdAt, updatedAt, finalizedAt, phaseHistory, metadata } = session;
  const { lastError, lastErrorAt } = session;
  return {
    ...session,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came as JSON, or out of the database
    metadata: metadata as Readonly<Record<string, Json>>,
    createdAt: Date.parse(createdAt),
    updatedAt: Date.parse(updatedAt),
    finalizedAt: timeOrNull(finalizedAt),
    lastError: lastError === null ? null : { text: lastError, at: timeOrNull(lastErrorAt) },
    phaseHistory: phaseHistory.map(({ from, to, at }) => ({ from, to, at: Date.parse(at) })),
  };
}

function timeOrNull(time: string | null): number | null {
  return time === null ? null : Date.parse(time);
}

/** Files that differ only in `last_updated` and the order of keys have the same digest. */
export function digestOf({ last_updated: _, ...state }: JsonObject): string {
  return hash("sha256", canonicalJson(state)).slice(0, 32);
}
