import type { QueuedMessage, Session } from "@holdfast/protocol";
import { GitFork } from "lucide-react";
import type { ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { loaded } from "../ui/loaded.tsx";
import type { Agent } from "./agent-choice.ts";
import { type ComposerState, composerStateOf } from "./composer-state.ts";
import { MessageBox } from "./message-box.tsx";
// Not lazy: it is needed when the network is down.
import { OutgoingList } from "./outgoing-list.tsx";
import { useOutgoing } from "./page-outbox.ts";
import { useDraft } from "./use-draft.ts";

const QueueList = loaded(() => import("./queue-list.tsx").then((m) => m.QueueList));

export interface ComposerProps {
  readonly session: Session;
  readonly queue: readonly QueuedMessage[];
  /** The agent of the last run; null when unknown. */
  readonly last: Agent | null;
  /** The text of the last message a person sent. */
  readonly lastText: () => string | null;
  readonly onQueue: (queue: readonly QueuedMessage[]) => void;
  readonly onStop: () => void;
  readonly isStopping: boolean;
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
        <ClosedComposer state={state} onFork={onFork} onAccept={onAccept} />
      )}
    </section>
  );
}

/** Replaces the message box of a session that accepts no messages. */
function ClosedComposer({
  state: { reason, way },
  onFork,
  onAccept,
}: {
  readonly state: Extract<ComposerState, { open: false }>;
  readonly onFork: () => void;
  readonly onAccept: () => void;
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
    </div>
  );
}
