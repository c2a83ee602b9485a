import { errorText } from "@holdfast/client";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import { pageStorage } from "../api/page-storage.ts";
import { isComposing } from "../composer/composer-keys.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextArea } from "../ui/field.tsx";

interface AnswerBoxProps {
  readonly suspensionId: string;
  readonly inert: boolean;
  readonly busy: boolean;
  readonly onAnswer: (answer: unknown) => void;
}

/** The key of an answer that is not sent yet, in the storage of the page. */
export function draftKeyOf(suspensionId: string): string {
  return `holdfast.answer.${suspensionId}`;
}

/** The typed answer, stored until it is sent. */
function useAnswerDraft({ suspensionId, inert, busy, onAnswer }: AnswerBoxProps) {
  const key = draftKeyOf(suspensionId);
  const [text, setText] = useState(() => pageStorage.get(key) ?? "");
  return {
    text,
    change: (next: string): void => {
      setText(next);
      pageStorage.set(key, next === "" ? null : next);
    },
    send: (answer: unknown): void => {
      if (inert || busy) return;
      onAnswer(answer);
      pageStorage.set(key, null);
    },
  };
}

/** Any text. Enter sends it. */
export function TextAnswer(props: AnswerBoxProps): ReactElement {
  const { text, change, send } = useAnswerDraft(props);
  const sendText = (): void => {
    if (text.trim() !== "") send(text);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    sendText();
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label="Your answer">
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            value={text}
            onChange={(event) => change(event.target.value)}
            onKeyDown={onKeyDown}
            className="field-sizing-content max-h-60"
          />
        )}
      </Field>
      <Button
        tone="primary"
        className="self-start"
        busy={props.busy}
        disabled={text.trim() === ""}
        onClick={sendText}
      >
        Answer
      </Button>
    </div>
  );
}

/** A JSON answer; invalid JSON can be sent as text. */
export function JsonAnswer(props: AnswerBoxProps): ReactElement {
  const { busy } = props;
  const { text, change, send } = useAnswerDraft(props);
  const [reason, setReason] = useState<string | null>(null);
  const sendJson = (): void => {
    try {
      const answer: unknown = JSON.parse(text);
      send(answer);
    } catch (error) {
      setReason(errorText(error));
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label="Result, as JSON" error={reason === null ? null : `This is not JSON: ${reason}`}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={3}
            spellCheck={false}
            placeholder='{"ok": true}'
            value={text}
            onChange={(event) => {
              change(event.target.value);
              setReason(null);
            }}
            className="max-h-60 field-sizing-content font-mono"
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button tone="primary" busy={busy} disabled={text.trim() === ""} onClick={sendJson}>
          Send result
        </Button>
        {reason !== null && (
          <Button disabled={busy} onClick={() => send(text)}>
            Send as text
          </Button>
        )}
      </div>
    </div>
  );
}
