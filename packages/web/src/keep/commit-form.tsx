import type { BranchState } from "@holdfast/protocol";
import type { FormEvent, KeyboardEvent, ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Field, focusOnMount, TextArea } from "../ui/field.tsx";
import { commitText } from "./keep-texts.ts";
import type { Keep } from "./use-keep.ts";

const MAX_LENGTH = 10_000;

/** The message of a commit. It starts with the suggested one, and stays until it is committed. */
export function CommitForm({
  branch,
  keep,
  disabled,
  onDone,
}: {
  readonly branch: BranchState;
  readonly keep: Keep;
  readonly disabled: boolean;
  readonly onDone: () => void;
}): ReactElement {
  const { message, editMessage, busy } = keep;
  const text = message ?? branch.suggestedMessage;
  const isReady = text.trim() !== "" && !disabled && busy === null;
  const commit = async (): Promise<void> => {
    if (isReady && (await keep.commit(text)) !== null) onDone();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void commit();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    void commit();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <Field label="Commit message" hint={commitText(branch)}>
        {(ids) => (
          <TextArea
            {...ids}
            ref={focusOnMount}
            rows={4}
            maxLength={MAX_LENGTH}
            className="font-mono text-xs"
            value={text}
            onChange={(event) => editMessage(event.target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      <div className="flex flex-wrap justify-end gap-2">
        {message !== null && message !== branch.suggestedMessage && (
          <Button size="small" tone="quiet" onClick={() => editMessage(null)}>
            Use the suggested message
          </Button>
        )}
        <Button size="small" onClick={onDone}>
          Cancel
        </Button>
        <Button
          type="submit"
          size="small"
          tone="primary"
          busy={busy === "commit"}
          disabled={!isReady}
        >
          Commit
        </Button>
      </div>
    </form>
  );
}
