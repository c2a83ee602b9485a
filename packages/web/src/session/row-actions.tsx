import { authorOf, type Message, type Session } from "@holdfast/protocol";
import { type ReactElement, useCallback } from "react";
import { client } from "../api/client.ts";
import { goTo } from "../app/router.ts";
import { NO_DRAFT } from "../composer/drafts.ts";
import { drafts, outbox } from "../composer/page-outbox.ts";
import { canGoBack } from "../rewind/can-go-back.ts";
import type { RewindIntent } from "../rewind/use-rewind.ts";
import type { NoticeAction } from "../transcript/transcript-context.tsx";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { loaded } from "../ui/loaded.tsx";
import { showFailure, showToast } from "../ui/toast.ts";
import { noticeWay } from "./notice-action.ts";

const MessageMenu = loaded(() => import("../rewind/message-menu.tsx").then((m) => m.MessageMenu));

/** The actions on a message of a user besides those that every message has. */
export function useMoreActions(
  transcript: TranscriptStore,
  session: Session,
  ask: (runId: string, intent: RewindIntent) => void,
): (message: Message) => ReactElement | null {
  const { id, status, state, repoId, rewind } = session;
  const isIdle = state === "idle" && rewind?.status !== "restoring";
  return useCallback(
    (message) => {
      const { runId } = message;
      const canRewind = canGoBack({ status, repoId }, message) && !transcript.isRewound(message);
      const isFirst =
        transcript.messageBefore(message.id) === null && transcript.earlier.count === 0;
      return (
        <MessageMenu
          text={() => transcript.words(message.id)}
          onFork={isFirst ? null : () => void forkBefore(transcript, id, message.id)}
          rewind={
            canRewind && runId !== null
              ? { isIdle, onEdit: () => ask(runId, "edit"), onGoBack: () => ask(runId, "go back") }
              : null
          }
        />
      );
    },
    [transcript, id, status, repoId, isIdle, ask],
  );
}

/** A new session with everything before the message, whose text is its draft. */
async function forkBefore(
  transcript: TranscriptStore,
  sessionId: string,
  messageId: string,
): Promise<void> {
  try {
    if (transcript.messageBefore(messageId) === null) await transcript.earlier.load();
    const atMessage = transcript.messageBefore(messageId);
    const fork = await client.sessions.fork(sessionId, { atMessage });
    drafts.write(fork.id, { ...NO_DRAFT, text: transcript.words(messageId) });
    goTo({ page: "session", id: fork.id });
    await showToast({ text: "Forked: your message is in the message box" });
  } catch (error) {
    showFailure("Not forked", error);
  }
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
