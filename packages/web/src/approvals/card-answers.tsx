import type { FieldError } from "@holdfast/protocol";
import type { ReactElement, ReactNode } from "react";
import { FormAnswer } from "../forms/form-answer.tsx";
import { UrlAnswer } from "../forms/url-answer.tsx";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import type { Approval } from "./approval.ts";
import type { Answering } from "./answering.ts";
import { LoginAnswer } from "./login-answer.tsx";
import { OptionButtons, ThumbButtons } from "./option-buttons.tsx";
import { draftKeyOf, JsonAnswer, TextAnswer } from "./text-answer.tsx";

interface AnswersProps {
  readonly approval: Approval;
  readonly answering: Answering;
  readonly give: (answer: unknown) => void;
  readonly inert: boolean;
  readonly isRead: boolean;
  readonly suspensionId: string;
  /** The requests that an answer for always covers. */
  readonly scope: string;
  /** Large buttons side by side. */
  readonly forThumbs: boolean;
  /** Shown below the answers. */
  readonly footer: ReactNode;
}

const NONE: readonly FieldError[] = [];

/** The possible answers, or how it was answered. */
export function CardAnswers({ answering, ...input }: AnswersProps): ReactElement | null {
  if (answering.at === "answered")
    return <p className="text-muted">Answered. The run continues.</p>;
  if (answering.at === "late") return <p className="text-muted">{answering.reason}</p>;
  const busy = answering.at === "sending";
  const sending = busy && typeof answering.answer === "string" ? answering.answer : null;
  const scrolls = input.approval.ask === "form" || input.approval.ask === "url";
  const takesFooter = input.forThumbs && input.approval.ask === "choice";
  return (
    <div className={classNames("flex flex-col gap-2", scrolls ? "min-h-0" : "shrink-0")}>
      {answering.at === "failed" && (
        <p className="flex flex-wrap items-center gap-2 text-danger">
          <span className="wrap-anywhere">Not sent: {answering.reason}</span>
          <Button size="small" onClick={() => input.give(answering.answer)}>
            Try again
          </Button>
        </p>
      )}
      <AnswerInput
        {...input}
        busy={busy}
        sending={sending}
        refused={answering.at === "refused" ? answering.errors : NONE}
      />
      {!takesFooter && input.footer}
    </div>
  );
}

function AnswerInput({
  approval,
  give,
  inert,
  isRead,
  suspensionId,
  scope,
  forThumbs,
  footer,
  busy,
  sending,
  refused,
}: Omit<AnswersProps, "answering"> & {
  readonly busy: boolean;
  /** The option that is being sent. */
  readonly sending: string | null;
  readonly refused: readonly FieldError[];
}): ReactElement | null {
  const box = { suspensionId, inert, busy, onAnswer: give };
  const buttons = { scope, inert, isRead, sending, onChoose: give };
  switch (approval.ask) {
    case "choice":
      return forThumbs ? (
        <ThumbButtons options={approval.options} more={footer} {...buttons} />
      ) : (
        <OptionButtons options={approval.options} {...buttons} />
      );
    case "text":
      return (
        <>
          {approval.options.length > 0 && <OptionButtons options={approval.options} {...buttons} />}
          <TextAnswer {...box} />
        </>
      );
    case "login":
      return <LoginAnswer login={approval.login} inert={inert} busy={busy} onAnswer={give} />;
    case "form": {
      const draftKey = draftKeyOf(suspensionId);
      const { form } = approval;
      return <FormAnswer {...{ form, draftKey, inert, busy, refused, onAnswer: give }} />;
    }
    case "url":
      return <UrlAnswer {...{ url: approval.url, inert, busy, onAnswer: give }} />;
    case "json":
      return <JsonAnswer {...box} />;
    case "nothing":
      return null;
    default:
      return approval satisfies never;
  }
}
