import type { Message } from "@holdfast/protocol";
import { createContext, useContext } from "react";
import type { TranscriptStore } from "./transcript-store.ts";

/** The one thing that can be done about a notice. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

/** What rows need besides what they show. */
export interface TranscriptSurroundings {
  readonly store: TranscriptStore;
  /** Who worked in a run, such as its provider and model. */
  readonly runLabel: (runId: string) => string | null;
  readonly noticeAction: (message: Message) => NoticeAction | null;
}

export const TranscriptContext = createContext<TranscriptSurroundings | null>(null);

export function useTranscript(): TranscriptSurroundings {
  const surroundings = useContext(TranscriptContext);
  if (surroundings === null) throw new Error("unreachable: a row outside of a transcript");
  return surroundings;
}
