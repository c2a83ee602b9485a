import { useCallback, useState } from "react";
import type { Draft } from "./drafts.ts";
import { drafts } from "./page-outbox.ts";

/** What is being written, kept with every change. */
export function useDraft(sessionId: string): readonly [Draft, (changes: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => drafts.read(sessionId));
  const change = useCallback(
    (changes: Partial<Draft>) => {
      setDraft((before) => {
        const next = { ...before, ...changes };
        drafts.write(sessionId, next);
        return next;
      });
    },
    [sessionId],
  );
  return [draft, change];
}
