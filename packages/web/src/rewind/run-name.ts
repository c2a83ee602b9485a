import { firstWords } from "../api/first-words.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";

/** The first words of the message that a run answers. */
export function runName(transcript: TranscriptStore, runId: string): string {
  const message = transcript.messageOfRun(runId);
  const words = message === null ? "" : firstWords(transcript.words(message.id));
  return words === "" ? "A run" : words;
}
