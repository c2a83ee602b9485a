import type { Message } from "@holdfast/protocol";
import { createContext, type ReactNode, useContext } from "react";
import type { TranscriptStore } from "./transcript-store.ts";

/** The action of a notice. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
}

/** The context of the rows. */
export interface TranscriptSurroundings {
  readonly store: TranscriptStore;
  /** The agent of a run, such as its provider and model. */
  readonly runLabel: (runId: string) => string | null;
  readonly noticeAction: (message: Message) => NoticeAction | null;
  /** Further actions on a message of a user; null for none. */
  readonly moreActions: (message: Message) => ReactNode;
  /** The whole address of a message, where it differs from that of the page; such addresses are copied. */
  readonly linkTo?: ((messageId: string) => string) | undefined;
  /** Shows what a run changed. */
  readonly onChanges: (runId: string) => void;
}

export const TranscriptContext = createContext<TranscriptSurroundings | null>(null);

export function useTranscript(): TranscriptSurroundings {
  const surroundings = useContext(TranscriptContext);
  if (surroundings === null) throw new Error("unreachable: a row outside of a transcript");
  return surroundings;
}
