import { useCallback, useState } from "react";

/** A rewind that was carried out. */
export interface DoneRewind {
  readonly rewindId: string | null;
  /** What it left as it was; null for nothing. */
  readonly left: string | null;
}

/** To edit the message of the run, or only to go back. */
export type RewindIntent = "edit" | "go back";

export interface AskedRewind {
  readonly runId: string;
  readonly intent: RewindIntent;
}

/** What the session's page keeps about rewinds; the dialog and the bar carry them out. */
export function useRewind() {
  /** The run before which the dialog asks to go back. */
  const [asked, setAsked] = useState<AskedRewind | null>(null);
  const [last, setLast] = useState<DoneRewind | null>(null);
  /** Counts the changes of the draft from outside of the composer. */
  const [draftCount, setDraftCount] = useState(0);
  const readDraft = (): void => setDraftCount(draftCount + 1);
  return {
    asked,
    last,
    draftCount,
    readDraft,
    ask: useCallback((runId: string, intent: RewindIntent) => setAsked({ runId, intent }), []),
    close: () => setAsked(null),
    done: (done: DoneRewind) => {
      readDraft();
      setAsked(null);
      setLast(done);
    },
  };
}
