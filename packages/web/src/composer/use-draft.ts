import { useCallback, useRef, useState } from "react";
import type { Draft } from "./drafts.ts";
import { drafts } from "./page-outbox.ts";

type Changes = Partial<Draft>;
export type ChangeDraft = (changes: Changes | ((before: Draft) => Changes)) => void;

/** The draft of a session, stored with every change. */
export function useDraft(sessionId: string): readonly [Draft, ChangeDraft] {
  const [draft, setDraft] = useState(() => drafts.read(sessionId));
  const latest = useRef(draft);
  const change = useCallback(
    (changes: Changes | ((before: Draft) => Changes)) => {
      const before = latest.current;
      const next = { ...before, ...(typeof changes === "function" ? changes(before) : changes) };
      latest.current = next;
      drafts.write(sessionId, next);
      setDraft(next);
    },
    [sessionId],
  );
  return [draft, change];
}
