import { useState, type FormEvent, type ReactElement } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check, Field, Input } from "../ui/field.tsx";
import { worktreeFate } from "../worktree/worktree-texts.ts";

const WORD = "delete";

/** What else is deleted. */
export interface Deletion {
  readonly agentSessions: boolean;
  /** Removes the worktree although not everything in it is committed. */
  readonly worktree: boolean;
}

/** Deletion cannot be undone, so the user must type a word. */
export function DeleteDialog({
  name,
  hasWorktree,
  busy,
  onConfirm,
  onClose,
}: {
  readonly name: string;
  readonly hasWorktree: boolean;
  readonly busy: boolean;
  readonly onConfirm: (options: Deletion) => void;
  readonly onClose: () => void;
}): ReactElement {
  const [typed, setTyped] = useState("");
  const [agentSessions, setAgentSessions] = useState(false);
  const [worktree, setWorktree] = useState(false);
  const isConfirmed = typed.trim().toLowerCase() === WORD;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed && !busy) onConfirm({ agentSessions, worktree });
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
        <Check checked={agentSessions} onChange={setAgentSessions}>
          Also delete what its agents keep of it
        </Check>
        {hasWorktree && (
          <>
            <Check checked={worktree} onChange={setWorktree}>
              Remove its worktree although not everything is committed
            </Check>
            <p className="text-xs text-muted">{worktreeFate(worktree)}</p>
          </>
        )}
      </form>
    </Dialog>
  );
}
