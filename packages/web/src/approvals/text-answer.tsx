import { errorText } from "@holdfast/client";
import { type KeyboardEvent, type ReactElement, useState } from "react";
import { pageStorage } from "../api/page-storage.ts";
import { isComposing } from "../composer/composer-keys.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextArea } from "../ui/field.tsx";

/** The typed answer, stored until it is sent. */
function useAnswerDraft(suspensionId: string): readonly [string, (text: string) => void] {
  const key = `holdfast.answer.${suspensionId}`;
  const [text, setText] = useState(() => pageStorage.get(key) ?? "");
  return [
    text,
    (next) => {
      setText(next);
      pageStorage.set(key, next === "" ? null : next);
    },
  ];
}

interface AnswerBoxProps {
  readonly suspensionId: string;
  readonly inert: boolean;
  readonly busy: boolean;
  readonly onAnswer: (answer: unknown) => void;
}

/** Any text. Enter sends it. */
export function TextAnswer({ suspensionId, inert, busy, onAnswer }: AnswerBoxProps): ReactElement {
  const [text, setText] = useAnswerDraft(suspensionId);
  const send = (): void => {
    if (inert || busy || text.trim() === "") return;
    onAnswer(text);
    pageStorage.set(`holdfast.answer.${suspensionId}`, null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event.nativeEvent)) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="flex flex-col gap-2">
      <Field label="Your answer">
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={onKeyDown}
            className="field-sizing-content max-h-60"
          />
        )}
      </Field>
      <Button
        tone="primary"
        className="self-start"
        busy={busy}
        disabled={text.trim() === ""}
        onClick={send}
      >
        Answer
      </Button>
    </div>
  );
}

/** A JSON answer; invalid JSON can be sent as text. */
export function JsonAnswer({ suspensionId, inert, busy, onAnswer }: AnswerBoxProps): ReactElement {
  const [text, setText] = useAnswerDraft(suspensionId);
  const [reason, setReason] = useState<string | null>(null);
  const send = (answer: unknown): void => {
    if (inert || busy) return;
    onAnswer(answer);
    pageStorage.set(`holdfast.answer.${suspensionId}`, null);
  };
  const sendJson = (): void => {
    const parsed = parseJsonAnswer(text);
    if (parsed.ok) send(parsed.value);
    else setReason(parsed.reason);
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
              setText(event.target.value);
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

type JsonAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses the typed JSON. */
function parseJsonAnswer(text: string): JsonAnswer {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return { ok: false, reason: errorText(error) };
  }
}
