import { authorOf, type Message, type Session } from "@holdfast/protocol";
import { useCallback } from "react";
import { outbox } from "../composer/page-outbox.ts";
import type { NoticeAction } from "../transcript/transcript-context.tsx";
import type { TranscriptStore } from "../transcript/transcript-store.ts";
import { noticeWay } from "./notice-action.ts";

/** What is offered beside a notice. */
export function useNoticeAction({
  transcript,
  session,
  onFork,
}: {
  readonly transcript: TranscriptStore;
  readonly session: Session;
  readonly onFork: () => void;
}): (message: Message) => NoticeAction | null {
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
      const again = { text: way.text, provider: null, model: null, delivery: "queue" } as const;
      return { label: "Try again", run: () => void outbox.send(id, again) };
    },
    [transcript, id, status, state, repoId, queued, onFork],
  );
}

/** Whether anybody but the server has said something since. */
function isFollowed(transcript: TranscriptStore, { seq }: Message): boolean {
  const last = transcript.rows.at(-1);
  if (last === undefined) return false;
  const message = transcript.message(last.messageId);
  return message !== null && message.seq > seq && authorOf(message) !== "system";
}

/** A run that is worth trying again worked on one of the last messages. */
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
