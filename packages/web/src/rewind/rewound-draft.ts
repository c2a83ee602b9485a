import type { Drafts } from "../composer/drafts.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";

export interface DraftPlace {
  readonly drafts: Drafts;
  readonly transcript: Pick<TranscriptStore, "sessionId" | "messageOfRun" | "words">;
}

/**
 * A message that was taken back is the draft, so that it can be changed and sent again. Another draft stays; `keep`: below
 * the message.
 */
export function draftMessage(
  place: DraftPlace,
  runId: string,
  { keep = false }: { readonly keep?: boolean } = {},
): void {
  const { text } = place.drafts.read(place.transcript.sessionId);
  const words = wordsOf(place, runId);
  if (keep) replaceDraft(place, text, text === "" ? words : `${words}\n\n${text}`);
  else replaceDraft(place, "", words);
}

/** Removes that draft if it was not changed. */
export function undraftMessage(place: DraftPlace, runId: string): void {
  replaceDraft(place, wordsOf(place, runId), "");
}

function replaceDraft({ drafts, transcript }: DraftPlace, before: string, after: string): void {
  const draft = drafts.read(transcript.sessionId);
  if (draft.text === before) drafts.write(transcript.sessionId, { ...draft, text: after });
}

function wordsOf({ transcript }: DraftPlace, runId: string): string {
  const message = transcript.messageOfRun(runId);
  return message === null ? "" : transcript.words(message.id);
}
