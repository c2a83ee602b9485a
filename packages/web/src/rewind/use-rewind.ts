import type { Message, RewindReply, Session } from "@holdfast/protocol";
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
      tell("Undone", reply);
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
      tell("Rewound", reply);
    },
    undo: (rewindId: string) => void undo(rewindId),
    isUndoing,
    draftCount,
  };
}

function tell(what: string, reply: RewindReply): void {
  const kept = keptNews(reply);
  if (kept !== null) void showToast({ text: `${what}. ${kept}`, durationMs: 8_000 });
}

/** Whether the session can go back to before this message: it must be the one that its run answers. */
export function canGoBack(
  { status, repoId }: Pick<Session, "status" | "repoId">,
  { role, runId, content }: Pick<Message, "role" | "runId" | "content">,
): boolean {
  const isOpen = status === "active" || status === "suspended";
  const wasSteered = content["injected"] === true || content["steering"] !== undefined;
  return isOpen && repoId !== null && role === "user" && runId !== null && !wasSteered;
}
