import {
  contentOf,
  type FieldError,
  type FieldInput,
  type Form,
  type FormInput,
} from "@holdfast/protocol";
import {
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from "react";
import { announce } from "../app/announce.tsx";
import { MoreBelow } from "../approvals/request-view.tsx";
import { isComposing } from "../composer/composer-keys.ts";
import { Button } from "../ui/button.tsx";
import { Field, TextArea } from "../ui/field.tsx";
import { FieldView, SchemaView } from "./field-view.tsx";
import { readFormDraft, storeFormDraft } from "./form-draft.ts";
import { questionsOf } from "./questions-of.ts";

type Errors = ReadonlyMap<string, string>;

/** The form of an elicitation. The input is stored until the answer has arrived. */
export function FormAnswer({
  form,
  draftKey,
  inert,
  busy,
  refused,
  onAnswer,
}: {
  readonly form: Form;
  readonly draftKey: string;
  readonly inert: boolean;
  readonly busy: boolean;
  /** The errors of the server about the last answer. */
  readonly refused: readonly FieldError[];
  readonly onAnswer: (answer: unknown) => void;
}): ReactElement {
  const [input, setInput] = useState<FormInput>(() => readFormDraft(draftKey, form));
  const [errors, setErrors] = useState<Errors>(new Map());
  const element = useRef<HTMLFormElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const questions = questionsOf(form);
  const isSingle = form.shape === "fields" && questions.length <= 1;

  /** Counts the refusals: each moves the focus once, and corrections do not. */
  const [refusals, setRefusals] = useState(0);
  const show = (list: readonly FieldError[]): void => {
    setErrors(new Map(list.map(({ field, message }) => [field, message])));
    if (list.length > 0) setRefusals((count) => count + 1);
  };
  const [shownRefusal, setShownRefusal] = useState(refused);
  if (shownRefusal !== refused) {
    setShownRefusal(refused);
    show(refused);
  }
  // The first wrong field gets the focus, once its error is on the page.
  useEffect(() => {
    if (refusals > 0) element.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refusals]);

  const change = (name: string, value: FieldInput): void => {
    const next = { ...input, [name]: value };
    setInput(next);
    storeFormDraft(draftKey, form, next);
    if (errors.has(name)) setErrors(new Map([...errors].filter(([other]) => other !== name)));
  };
  const send = (): void => {
    if (inert || busy) return;
    const result = contentOf(form, input);
    show(result.ok ? [] : result.errors);
    if (!result.ok) announce(attention(result.errors.length));
    if (result.ok) onAnswer({ action: "accept", content: result.content });
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || isComposing(event.nativeEvent)) return;
    if (event.target instanceof HTMLButtonElement) return;
    const isField = event.target instanceof HTMLElement && event.target.tagName !== "SUMMARY";
    if (event.ctrlKey || event.metaKey || (isSingle && isField && !event.shiftKey)) {
      event.preventDefault();
      send();
    } else if (event.target instanceof HTMLInputElement) {
      // Several questions: Enter must not send those that are still empty.
      event.preventDefault();
    }
  };
  const view = (field: (typeof questions)[number]["field"]): ReactElement => (
    <FieldView
      field={field}
      input={input[field.name] ?? null}
      error={errors.get(field.name) ?? null}
      disabled={busy}
      onChange={(value) => change(field.name, value)}
    />
  );
  const known = new Set<string | undefined>([
    ...questions.flatMap(({ field, companion }) => [field.name, companion?.name]),
    ...(form.shape === "json" ? [""] : []),
  ]);
  const others = [...errors].filter(([name]) => !known.has(name));
  return (
    // The key duplicates the button inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <form
      ref={element}
      noValidate
      aria-label="Answer"
      onSubmit={onSubmit}
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-col gap-3"
    >
      <div ref={scroller} className="-m-1 min-h-0 overflow-y-auto p-1">
        <div className="flex flex-col gap-5">
          {form.shape === "fields" && form.description !== null && (
            <p className="text-muted wrap-anywhere">{form.description}</p>
          )}
          {form.shape === "json" && (
            <JsonInput
              text={String(input[""] ?? "")}
              error={errors.get("") ?? null}
              disabled={busy}
              onChange={(text) => change("", text)}
            >
              <SchemaView schema={form.schema} />
            </JsonInput>
          )}
          {questions.map(({ field, companion }) => (
            <div key={field.name} className="flex flex-col gap-2">
              {view(field)}
              {companion !== null && <div className="pl-3">{view(companion)}</div>}
            </div>
          ))}
        </div>
      </div>
      <MoreBelow scroller={scroller} isRead />
      {others.map(([name, message]) => (
        <p key={name} role="alert" className="text-xs text-danger wrap-anywhere">
          {name === "" ? message : `${name}: ${message}`}
        </p>
      ))}
      <Decisions accept="Send answer" {...{ inert, busy, onAnswer }} isSubmit />
    </form>
  );
}

function attention(count: number): string {
  return count === 1 ? "1 field needs attention" : `${count} fields need attention`;
}

/** The answer to a schema that cannot be shown as fields. */
function JsonInput({
  text,
  error,
  disabled,
  onChange,
  children,
}: {
  readonly text: string;
  readonly error: string | null;
  readonly disabled: boolean;
  readonly onChange: (text: string) => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <div className="flex flex-col gap-2">
      <Field label="Your answer, as a JSON object" error={error}>
        {(ids) => (
          <TextArea
            {...ids}
            disabled={disabled}
            rows={3}
            spellCheck={false}
            value={text}
            onChange={(event) => onChange(event.target.value)}
            className="field-sizing-content max-h-60 font-mono"
          />
        )}
      </Field>
      {children}
    </div>
  );
}

/** Accept, decline and cancel. */
export function Decisions({
  accept,
  inert,
  busy,
  isSubmit = false,
  onAnswer,
}: {
  readonly accept: string;
  readonly inert: boolean;
  readonly busy: boolean;
  /** The form around it sends the answer. */
  readonly isSubmit?: boolean;
  readonly onAnswer: (answer: unknown) => void;
}): ReactElement {
  const give = (action: string): void => {
    if (!inert) onAnswer({ action });
  };
  return (
    <div className="flex shrink-0 flex-wrap gap-2">
      <Button
        tone="primary"
        type={isSubmit ? "submit" : "button"}
        busy={busy}
        aria-disabled={inert}
        onClick={isSubmit ? undefined : () => give("accept")}
      >
        {accept}
      </Button>
      <Button
        disabled={busy}
        aria-disabled={inert}
        title="Refuse to answer; the agent goes on without it"
        onClick={() => give("decline")}
      >
        Decline
      </Button>
      <Button
        tone="quiet"
        disabled={busy}
        aria-disabled={inert}
        title="Dismiss the question without a decision"
        onClick={() => give("cancel")}
      >
        Cancel
      </Button>
    </div>
  );
}
