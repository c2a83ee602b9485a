import { useRef, useState, type ComponentProps, type FormEvent, type ReactElement } from "react";
import { useFirstFocus } from "../composer/use-first-focus.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, Input } from "../ui/field.tsx";

const WORD = "delete";

/** Deletion cannot be undone, so the user must type a word. */
export function DeleteDialog({
  open,
  name,
  busy,
  onConfirm,
  onClose,
}: {
  readonly open: boolean;
  readonly name: string;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}): ReactElement {
  const [typed, setTyped] = useState("");
  const isMeant = typed.trim().toLowerCase() === WORD;
  const close = (): void => {
    setTyped("");
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isMeant && !busy) onConfirm();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      size="small"
      title="Delete this session?"
      description={`"${name}" and all its messages are deleted permanently. You can archive it instead, or export it first.`}
      footer={
        <>
          <Button onClick={close}>Keep it</Button>
          <Button tone="danger" type="submit" form="delete-session" busy={busy} disabled={!isMeant}>
            Delete for good
          </Button>
        </>
      }
    >
      <form id="delete-session" onSubmit={submit}>
        <Field label={`Type "${WORD}" to delete it`}>
          {(ids) => (
            <WordBox
              {...ids}
              autoComplete="off"
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}

function WordBox(props: ComponentProps<"input">): ReactElement {
  const box = useRef<HTMLInputElement>(null);
  useFirstFocus(box);
  return <Input {...props} ref={box} />;
}
