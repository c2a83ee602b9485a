import { FileCode, Link } from "lucide-react";
import { authorOf, type Message } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { CopyButton } from "../markdown/copy-button.tsx";
import { plainText } from "../markdown/plain-text.ts";
import { absoluteTime } from "../ui/time.ts";
import { useTranscript } from "./transcript-context.tsx";

const clock = new Intl.DateTimeFormat("en", {
  hour: "2-digit",
  minute: "2-digit",
  hourCycle: "h23",
});

/** The author and the time. */
export function MessageHead({ message }: { readonly message: Message }): ReactElement {
  const { runLabel } = useTranscript();
  const { runId, timestamp } = message;
  const label = authorOf(message) === "agent" && runId !== null ? runLabel(runId) : null;
  return (
    <p className="message-head">
      <strong>{nameOf(message)}</strong>
      {label !== null && <span>{label}</span>}
      <time dateTime={timestamp} title={absoluteTime(timestamp)}>
        {clock.format(new Date(timestamp))}
      </time>
    </p>
  );
}

/** The actions of a message, shown on hover and on keyboard focus. */
export function MessageActions({ message }: { readonly message: Message }): ReactElement {
  const { store } = useTranscript();
  const words = (): string => store.words(message.id);
  return (
    <div className="message-actions">
      <CopyButton label="Copy text" text={() => plainText(words())} />
      <CopyButton label="Copy as Markdown" text={words} icon={<FileCode aria-hidden size={14} />} />
      <a
        className="icon-action"
        href={`#${message.id}`}
        aria-label="Link to this message"
        title="Link to this message"
      >
        <Link aria-hidden size={14} />
      </a>
    </div>
  );
}

const NAMES = { user: "You", agent: "Agent", system: "Holdfast" } as const;

export function nameOf(message: Message): string {
  return NAMES[authorOf(message)];
}
