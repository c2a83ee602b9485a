import { authorOf, type Message, type Session } from "@holdfast/protocol";
import { type ReactElement, useCallback } from "react";
import { NO_DRAFT } from "../composer/drafts.ts";
import { outbox } from "../composer/page-outbox.ts";
import { canGoBack } from "../rewind/can-go-back.ts";
import type { NoticeAction } from "../transcript/transcript-context.tsx";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { loaded } from "../ui/loaded.tsx";
import { noticeWay } from "./notice-action.ts";

const MessageMenu = loaded(() => import("../rewind/message-menu.tsx").then((m) => m.MessageMenu));

/** The actions on a message of a user besides those that every message has. */
export function useMoreActions(
  transcript: TranscriptStore,
  session: Session,
  onGoBack: (runId: string) => void,
): (message: Message) => ReactElement | null {
  const { status, state, repoId, rewind } = session;
  const isIdle = state === "idle" && rewind?.status !== "restoring";
  return useCallback(
    (message) => {
      const { runId } = message;
      const isOffered = canGoBack({ status, repoId }, message) && !transcript.isRewound(message);
      if (!isOffered || runId === null) return null;
      return <MessageMenu isIdle={isIdle} onGoBack={() => onGoBack(runId)} />;
    },
    [transcript, status, repoId, isIdle, onGoBack],
  );
}

/** The action beside a notice. */
export function useNoticeAction(
  transcript: TranscriptStore,
  session: Session,
  onFork: () => void,
): (message: Message) => NoticeAction | null {
  const { id, status, state, repoId, queued } = session;
  return useCallback(
    (message) => {
      const way = noticeWay(message, {
        session: { status, state, repoId, queued },
        after: isFollowed(transcript, message),
        messageOf: (runId) => textOfRun(transcript, runId),
      });
      if (way === null) return null;
      if (way.way === "fork") return { label: "Fork", run: onFork };
      const again = { ...NO_DRAFT, text: way.text, delivery: "queue" } as const;
      return { label: "Try again", run: () => void outbox.send(id, again) };
    },
    [transcript, id, status, state, repoId, queued, onFork],
  );
}

/** Whether a message of a user or an agent follows. */
function isFollowed(transcript: TranscriptStore, { id, seq }: Message): boolean {
  const last = transcript.rows.at(-1);
  const message = last === undefined ? null : transcript.message(last.messageId);
  const isAnswered = message !== null && message.seq > seq && authorOf(message) !== "system";
  return isAnswered || transcript.stepUser(id, 1) !== null;
}

/** Only a recent run is worth repeating. */
const LOOKED_AT = 20;

function textOfRun(transcript: TranscriptStore, runId: string): string | null {
  let id = transcript.stepUser(null, -1);
  for (let count = 0; id !== null && count < LOOKED_AT; count += 1) {
    const message = transcript.message(id);
    if (message?.runId === runId)
      return message.content.type === "text" ? transcript.words(id) : null;
    id = transcript.stepUser(id, -1);
  }
  return null;
}
