import type { Message } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { Clamped } from "../tools/clamped.tsx";
import { PartView } from "../tools/part-view.tsx";
import { MessageActions, MessageHead } from "./message-head.tsx";

const SHOWN_LINES = 30;

/** What a person has said: as it was written, with what was attached. */
export function UserMessage({
  message,
  text,
}: {
  readonly message: Message;
  readonly text: string;
}): ReactElement {
  const { parts } = message.content;
  return (
    <div className="user-message">
      <MessageHead message={message} />
      <MessageActions message={message} />
      {text !== "" && <Words text={text} />}
      {Array.isArray(parts) &&
        parts.map((part: unknown, index) => <UserPart key={index} part={part} />)}
    </div>
  );
}

function UserPart({ part }: { readonly part: unknown }): ReactElement | null {
  if (typeof part !== "object" || part === null) return null;
  const content: Record<string, unknown> = { ...part };
  const { type, text } = content;
  return type === "text" && typeof text === "string" ? (
    <Words text={text} />
  ) : (
    <PartView content={content} />
  );
}

function Words({ text }: { readonly text: string }): ReactElement {
  return (
    <Clamped text={text} lines={SHOWN_LINES}>
      {(shown) => <p className="user-words">{shown}</p>}
    </Clamped>
  );
}
