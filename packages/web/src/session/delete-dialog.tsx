import { useState, type FormEvent, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input } from "../ui/field.tsx";

const WORD = "delete";

/** Deletion cannot be undone, so the user must type a word. */
export function DeleteDialog({
  name,
  busy,
  onConfirm,
  onClose,
}: {
  readonly name: string;
  readonly busy: boolean;
  readonly onConfirm: (options: { readonly agentSessions: boolean }) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [typed, setTyped] = useState("");
  const [agentSessions, setAgentSessions] = useState(false);
  const isConfirmed = typed.trim().toLowerCase() === WORD;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed && !busy) onConfirm({ agentSessions });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      size="small"
      title="Delete this session?"
      description={`"${name}" and all its messages are deleted permanently. You can archive it instead, or export it first.`}
      footer={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button
            tone="danger"
            type="submit"
            form="delete-session"
            busy={busy}
            disabled={!isConfirmed}
          >
            Delete for good
          </Button>
        </>
      }
    >
      <form id="delete-session" onSubmit={submit} className="flex flex-col gap-3">
        <Field label={`Type "${WORD}" to delete it`}>
          {(ids) => (
            <Input
              {...ids}
              data-autofocus
              autoComplete="off"
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <label className="flex items-center gap-2 text-sm touch-target">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={agentSessions}
            onChange={(event) => setAgentSessions(event.target.checked)}
          />
          Also delete what its agents keep of it
        </label>
      </form>
    </Dialog>
  );
}
