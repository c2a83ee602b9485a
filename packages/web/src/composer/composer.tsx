import type { QueuedMessage } from "@holdfast/protocol";
import { GitFork } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import { type ComposerState, composerStateOf } from "./composer-state.ts";
import { MessageBox, type MessageBoxProps } from "./message-box.tsx";
// Not lazy: it is needed when the network is down.
import { OutgoingList } from "./outgoing-list.tsx";
import { StopButton } from "./send-buttons.tsx";
import { useOutgoing } from "./page-outbox.ts";
import { useDraft } from "./use-draft.ts";

const QueueList = loaded(() => import("./queue/queue-list.tsx").then((m) => m.QueueList));

export interface ComposerProps extends Omit<MessageBoxProps, "state" | "draft" | "change"> {
  readonly queue: readonly QueuedMessage[];
  readonly onQueue: (queue: readonly QueuedMessage[]) => void;
  readonly onFork: () => void;
  readonly onAccept: () => void;
}

/** The message box, the queue and the unsent messages. */
export function Composer(props: ComposerProps): ReactElement {
  const { session, queue, onQueue, onFork, onAccept } = props;
  const state = composerStateOf(session);
  const [draft, change] = useDraft(session.id);
  const outgoing = useOutgoing(session.id);
  return (
    <section aria-label="Message" className="flex flex-col gap-2">
      {queue.length > 0 && <QueueList session={session} queue={queue} onQueue={onQueue} />}
      {outgoing.length > 0 && (
        <OutgoingList
          sessionId={session.id}
          outgoing={outgoing}
          onEdit={({ text, attachments }) =>
            change((before) => ({
              text: before.text === "" ? text : `${before.text}\n${text}`,
              attachments: [...before.attachments, ...attachments],
            }))
          }
        />
      )}
      {state.open ? (
        <MessageBox {...props} draft={draft} change={change} state={state} />
      ) : (
        <ClosedComposer state={state} onFork={onFork} onAccept={onAccept}>
          {session.state === "running" && (
            <StopButton isStopping={props.isStopping} onStop={props.onStop} />
          )}
        </ClosedComposer>
      )}
    </section>
  );
}

/** Replaces the message box of a session that accepts no messages. */
function ClosedComposer({
  state: { reason, way },
  onFork,
  onAccept,
  children,
}: {
  readonly state: Extract<ComposerState, { open: false }>;
  readonly onFork: () => void;
  readonly onAccept: () => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line bg-sunken px-3 py-2.5">
      <p className="min-w-0 flex-1 basis-52 text-muted wrap-anywhere">{reason}</p>
      {way === "fork" && (
        <Button size="small" icon={<GitFork size={13} aria-hidden="true" />} onClick={onFork}>
          Fork to continue
        </Button>
      )}
      {way === "accept" && (
        <Button size="small" onClick={onAccept}>
          Accept messages again
        </Button>
      )}
      {children}
    </div>
  );
}
