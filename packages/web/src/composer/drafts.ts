import { isObject } from "@holdfast/client";
import type { PageStorage } from "../api/page-storage.ts";

/** The unsent message of a session on this device, and its agent. */
export interface Draft {
  readonly text: string;
  /** Null for the session's preference. */
  readonly provider: string | null;
  readonly model: string | null;
}

export const NO_DRAFT: Draft = { text: "", provider: null, model: null };

export interface Drafts {
  read(sessionId: string): Draft;
  write(sessionId: string, draft: Draft): void;
}

export function createDrafts(storage: PageStorage): Drafts {
  return {
    read: (sessionId) => parseDraft(storage.get(keyOf(sessionId))),
    write: (sessionId, draft) => {
      const isEmpty = draft.text === "" && draft.provider === null && draft.model === null;
      storage.set(keyOf(sessionId), isEmpty ? null : JSON.stringify(draft));
    },
  };
}

/** An invalid draft counts as empty. */
export function parseDraft(stored: string | null): Draft {
  const value = parseJson(stored);
  if (!isObject(value)) return NO_DRAFT;
  const { text, provider, model } = value;
  return { text: textOr(text, ""), provider: textOr(provider, null), model: textOr(model, null) };
}

export function parseJson(stored: string | null): unknown {
  if (stored === null) return null;
  try {
    return JSON.parse(stored);
  } catch {
    return null;
  }
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function keyOf(sessionId: string): string {
  return `holdfast.draft.${sessionId}`;
}
