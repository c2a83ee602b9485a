import { isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import type { Agent } from "./agent-choice.ts";

/** The unsent message of a session on this device, and its agent. */
export interface Draft extends Agent {
  readonly text: string;
}

export const NO_DRAFT: Draft = { text: "", provider: null, model: null };

export function createDrafts(storage: PageStorage) {
  return {
    read: (sessionId: string): Draft => parseDraft(storage.get(keyOf(sessionId))),
    write: (sessionId: string, draft: Draft): void => {
      const isEmpty = draft.text === "" && draft.provider === null && draft.model === null;
      storage.set(keyOf(sessionId), isEmpty ? null : JSON.stringify(draft));
    },
  };
}

/** An invalid draft counts as empty. */
export function parseDraft(stored: string | null): Draft {
  const value = parseJson(stored);
  return isObject(value) ? toDraft(value) : NO_DRAFT;
}

export function toDraft({ text, provider, model }: Readonly<Record<string, unknown>>): Draft {
  return { text: textOr(text, ""), provider: textOr(provider, null), model: textOr(model, null) };
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function keyOf(sessionId: string): string {
  return `holdfast.draft.${sessionId}`;
}
