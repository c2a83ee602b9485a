import { isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import { hasSettings, NO_SETTINGS, toSettings, type MessageSettings } from "./message-settings.ts";
import type { Agent } from "./agent-choice.ts";

/** The unsent message of a session on this device, and its agent. */
export interface Draft extends Agent, MessageSettings {
  readonly text: string;
}

export const NO_DRAFT: Draft = { text: "", provider: null, model: null, ...NO_SETTINGS };

export type Drafts = ReturnType<typeof createDrafts>;

export function createDrafts(storage: PageStorage) {
  return {
    read: (sessionId: string): Draft => parseDraft(storage.get(keyOf(sessionId))),
    write: (sessionId: string, draft: Draft): void => {
      const { text, provider, model } = draft;
      const isEmpty = text === "" && provider === null && model === null && !hasSettings(draft);
      storage.set(keyOf(sessionId), isEmpty ? null : JSON.stringify(draft));
    },
  };
}

/** An invalid draft counts as empty. */
export function parseDraft(stored: string | null): Draft {
  const value = parseJson(stored);
  return isObject(value) ? toDraft(value) : NO_DRAFT;
}

export function toDraft(stored: Readonly<Record<string, unknown>>): Draft {
  const { text, provider, model } = stored;
  const agent = { provider: textOr(provider, null), model: textOr(model, null) };
  return { text: textOr(text, ""), ...agent, ...toSettings(stored) };
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function keyOf(sessionId: string): string {
  return `holdfast.draft.${sessionId}`;
}
