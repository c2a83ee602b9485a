import type { RewindReply, Session } from "@holdfast/protocol";
import { useCallback, useState } from "react";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { drafts } from "../composer/page-outbox.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { showFailure, showToast } from "../ui/toast.ts";
import { keptNews } from "./rewind-texts.ts";

/** Goes back to before a message, and undoes that. */
export function useRewind(session: Session, transcript: TranscriptStore) {
  const { id } = session;
  /** The run before which the dialog asks to go back. */
  const [asked, setAsked] = useState<string | null>(null);
  /** What a rewind left as it was. */
  const [left, setLeft] = useState<{ readonly rewindId: string; readonly text: string } | null>(
    null,
  );
  const [isUndoing, setUndoing] = useState(false);
  /** Counts the changes of the draft from outside of the composer. */
  const [draftCount, setDraftCount] = useState(0);

  const putDraft = (before: string, after: string): void => {
    const draft = drafts.read(id);
    if (draft.text !== before) return;
    drafts.write(id, { ...draft, text: after });
    setDraftCount((count) => count + 1);
  };
  const words = (runId: string): string => {
    const message = transcript.messageOfRun(runId);
    return message === null ? "" : transcript.words(message.id);
  };

  const undo = async (rewindId: string): Promise<void> => {
    setUndoing(true);
    try {
      const reply = await client.sessions.rewind(id, { undo: rewindId });
      const first = session.rewind?.run;
      if (first !== undefined) putDraft(words(first), "");
      announce("The rewind was undone");
      const kept = keptNews(reply);
      if (kept !== null) void showToast({ text: `Undone. ${kept}`, durationMs: 8_000 });
    } catch (error) {
      showFailure("Not undone", error);
    } finally {
      setUndoing(false);
    }
  };

  return {
    asked,
    ask: useCallback((runId: string) => setAsked(runId), []),
    close: () => setAsked(null),
    /** The message can be changed and sent again. */
    done: (reply: RewindReply, { conversation }: { readonly conversation: boolean }) => {
      if (conversation && asked !== null) putDraft("", words(asked));
      setAsked(null);
      announce("Rewound");
      const kept = keptNews(reply);
      if (reply.rewind !== null && kept !== null)
        setLeft({ rewindId: reply.rewind.id, text: kept });
    },
    undo: (rewindId: string) => void undo(rewindId),
    /** What the rewind with this ID left as it was; null for nothing. */
    leftBy: (rewindId: string) => (left?.rewindId === rewindId ? left.text : null),
    isUndoing,
    draftCount,
  };
}
