import type { QueuedMessage, QueueReply, Session } from "@holdfast/protocol";
import { useRef, type ReactElement } from "react";
import { client } from "../api/client.ts";
import { announce } from "../app/announce.tsx";
import { showFailure } from "../ui/toast.ts";
import { movedPosition, withMoved } from "./queue-moves.ts";
import { QueuedItem } from "./queued-item.tsx";

/** The queued messages in order. */
export function QueueList({
  session,
  queue,
  onQueue,
}: {
  readonly session: Pick<Session, "id" | "status" | "state" | "delivery">;
  readonly queue: readonly QueuedMessage[];
  readonly onQueue: (queue: readonly QueuedMessage[]) => void;
}): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  const { id } = session;
  const act = (failed: string, work: () => Promise<QueueReply>): void => {
    const before = queue;
    work().then(
      (reply) => onQueue(reply.queue),
      (error: unknown) => {
        onQueue(before);
        showFailure(failed, error);
      },
    );
  };
  const move = (messageId: string, by: number): void => {
    const position = movedPosition(queue, messageId, by);
    if (position === null) return;
    onQueue(withMoved(queue, messageId, position));
    announce(`Now number ${position + 1} of ${queue.length}`);
    act("Not moved", () => client.sessions.editQueued(id, messageId, { position }));
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`[data-queued="${CSS.escape(messageId)}"]`)?.focus(),
    );
  };
  const remove = (messageId: string): void => {
    announce("Removed from the queue");
    act("Not removed", () => client.sessions.withdrawQueued(id, messageId));
  };
  const edit = (messageId: string, text: string): void =>
    act("Not changed", () => client.sessions.editQueued(id, messageId, { text }));
  return (
    <section aria-label="Queue" className="flex flex-col gap-1">
      <h2 className="px-1 text-xs font-semibold text-muted">
        {queue.length === 1 ? "1 message in the queue" : `${queue.length} messages in the queue`}
        <span className="font-normal"> · {whyText(session)}</span>
      </h2>
      <ol ref={list} className="flex max-h-[30dvh] flex-col gap-1 overflow-y-auto">
        {queue.map((message, index) => (
          <QueuedItem
            key={message.messageId}
            message={message}
            isFirst={index === 0}
            isLast={index === queue.length - 1}
            onMove={(by) => move(message.messageId, by)}
            onRemove={() => remove(message.messageId)}
            onEdit={(text) => edit(message.messageId, text)}
          />
        ))}
      </ol>
    </section>
  );
}

function whyText({
  status,
  state,
  delivery,
}: Pick<Session, "status" | "state" | "delivery">): string {
  if (delivery !== "open") return "held back by the session";
  if (state === "running") return "after the current run";
  if (state === "suspended") return "after the answer above";
  return status === "suspended" ? "until the session is resumed" : "until an agent is free";
}
