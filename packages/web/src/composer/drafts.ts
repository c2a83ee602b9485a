import { isObject } from "@holdfast/client";
import { parseJson, type PageStorage } from "../api/page-storage.ts";
import { hasSettings, NO_SETTINGS, toSettings, type MessageSettings } from "./message-settings.ts";
import type { Agent } from "./agent-choice.ts";
import { toAttachments, type Attachment } from "./attachments/attachment.ts";

/** The unsent message of a session on this device, and its agent. */
export interface Draft extends Agent, MessageSettings {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export const NO_DRAFT: Draft = {
  text: "",
  attachments: [],
  provider: null,
  model: null,
  ...NO_SETTINGS,
};

export type Drafts = ReturnType<typeof createDrafts>;

/** `large` stores attachments: they must not fill the storage that keeps the words. */
export function createDrafts(storage: PageStorage, large: PageStorage) {
  const written = new Map<string, readonly Attachment[]>();
  return {
    read: (sessionId: string): Draft => ({
      ...parseDraft(storage.get(keyOf(sessionId))),
      attachments: toAttachments(parseJson(large.get(keyOf(sessionId)))),
    }),
    write: (sessionId: string, { attachments, ...draft }: Draft): void => {
      const { text, provider, model } = draft;
      const isEmpty = text === "" && provider === null && model === null && !hasSettings(draft);
      storage.set(keyOf(sessionId), isEmpty ? null : JSON.stringify(draft));
      if (written.get(sessionId) === attachments) return;
      written.set(sessionId, attachments);
      large.set(keyOf(sessionId), attachments.length === 0 ? null : JSON.stringify(attachments));
    },
  };
}

/** An invalid draft counts as empty. */
export function parseDraft(stored: string | null): Draft {
  const value = parseJson(stored);
  return isObject(value) ? toDraft(value) : NO_DRAFT;
}

export function toDraft(stored: Readonly<Record<string, unknown>>): Draft {
  const { text, provider, model, attachments } = stored;
  const agent = { provider: textOr(provider, null), model: textOr(model, null) };
  return {
    text: textOr(text, ""),
    attachments: toAttachments(attachments),
    ...agent,
    ...toSettings(stored),
  };
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === "string" ? value : other;
}

function keyOf(sessionId: string): string {
  return `holdfast.draft.${sessionId}`;
}
