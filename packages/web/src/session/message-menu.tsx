import type { Message, Session } from "@holdfast/protocol";
import { Undo2 } from "lucide-react";
import { useCallback } from "react";
import { firstWords } from "../list/new-session.ts";
import { canGoBack } from "../rewind/rewind-texts.ts";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import type { MenuItems } from "../ui/menu-list.tsx";

/** The actions on a message of a user besides those that every message has. */
export function useMessageMenu(
  transcript: TranscriptStore,
  session: Session,
  onGoBack: (runId: string) => void,
): (message: Message) => MenuItems {
  const { status, state, repoId, rewind } = session;
  const isIdle = state === "idle" && rewind?.status !== "restoring";
  return useCallback(
    (message) => {
      const { runId } = message;
      const isOffered = canGoBack({ status, repoId }, message) && !transcript.isRewound(message);
      if (!isOffered || runId === null) return [];
      return [
        {
          label: "Go back to before this message…",
          icon: <Undo2 size={15} aria-hidden="true" />,
          disabled: !isIdle,
          ...(!isIdle && { hint: "Not during a run" }),
          onSelect: () => onGoBack(runId),
        },
      ];
    },
    [transcript, status, repoId, isIdle, onGoBack],
  );
}

/** The first words of the message that a run answers. */
export function runName(transcript: TranscriptStore, runId: string): string {
  const message = transcript.messageOfRun(runId);
  const words = message === null ? "" : firstWords(transcript.words(message.id));
  return words === "" ? "A run" : words;
}
