import type { FieldError, OpenSuspension } from "@holdfast/protocol";
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefCallback,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import { useQueryClient } from "@tanstack/react-query";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { RelativeTime } from "../ui/relative-time.tsx";
import {
  answerOfKey,
  type Approval,
  approvalOf,
  EXPIRY_WORDS,
  isRejection,
  KIND_NAMES,
  type PressedKey,
} from "./approval.ts";
import { afterFailure, type Answering } from "./answering.ts";
import { RequestEnd, RequestView } from "./request-view.tsx";
import type { FileChange } from "./change-view.tsx";
import { LoginAnswer } from "./login-answer.tsx";
import { OptionButtons } from "./option-buttons.tsx";
import { hasSubject, SubjectView, WRAPPED } from "./subject-view.tsx";
import { draftKeyOf, JsonAnswer, TextAnswer } from "./text-answer.tsx";
import { FormAnswer } from "../forms/form-answer.tsx";
import { UrlAnswer } from "../forms/url-answer.tsx";
import { pageStorage } from "../api/page-storage.ts";
import { client } from "../api/client.ts";
import { suspensionsQuery } from "../api/queries.ts";
import { announce } from "../app/announce.tsx";

const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
/** Longer titles are commands and scroll with the content. */
const MAX_TITLE = 300;

export interface ApprovalCardProps {
  readonly sessionId: string;
  readonly suspension: OpenSuspension;
  /** The changes of the tool call, if known. */
  readonly changes: readonly FileChange[];
  /** Paths are shown relative to this folder, as in the transcript. */
  readonly root: string | null;
  /** Changes whenever cards move: a press meant for another card is ignored. */
  readonly place: string;
  /** Digits answer it wherever the focus is, except while typing. */
  readonly pageKeys?: boolean;
  /** Fits the available height: the content scrolls, the answers stay visible. */
  readonly fit?: boolean;
  /** Names the session where it is not clear. */
  readonly heading?: ReactNode;
  readonly footer?: ReactNode;
}

/** A request of a run, shown completely, with its possible answers. */
export function ApprovalCard({
  sessionId,
  suspension,
  changes,
  root,
  place,
  pageKeys = false,
  fit = false,
  heading,
  footer,
}: ApprovalCardProps): ReactElement {
  const { id, kind, createdAt, expiresAt } = suspension;
  const approval = useMemo(() => approvalOf(suspension), [suspension]);
  const [answering, give] = useAnswer(sessionId, id);
  const inert = useInert(`${id} ${place}`);
  const [end, isRead] = useSeen(`${id} ${JSON.stringify(changes)}`);
  const titleId = useId();
  const shown = useMemo(() => shownOf(approval, changes, root), [approval, changes, root]);
  const isCommand = approval.ask === "choice" && approval.subject.command === approval.title;
  const isOver = answering.at === "answered" || answering.at === "late";

  const takesKeys = !inert && !isOver && answering.at !== "sending";

  const answerByKey = (event: PressedKey, where: { readonly inCard: boolean }): boolean => {
    const answer = takesKeys ? answerOfKey(approval, event, where) : null;
    if (answer === null || (!isRead && !isRejection(approval, answer))) return false;
    give(answer);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyped(event.target) || !answerByKey(event, { inCard: true })) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onDigit = (event: globalThis.KeyboardEvent): void => {
    answerByKey(event, { inCard: false });
  };
  useShortcuts(pageKeys ? Object.fromEntries(DIGITS.map((digit) => [digit, onDigit])) : {});

  const titleLine = (
    <h2
      id={titleId}
      className={classNames("text-sm font-semibold", WRAPPED, isCommand && "font-mono")}
    >
      {approval.title}
    </h2>
  );
  const scrollsTitle = fit && approval.title.length > MAX_TITLE;
  return (
    // The keys duplicate the buttons inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      aria-labelledby={titleId}
      data-approval={id}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={classNames(
        "flex flex-col gap-3 rounded-lg border border-warn bg-surface p-3 sm:p-4",
        fit ? "min-h-0" : "shrink-0",
      )}
    >
      <header className="flex flex-col gap-1">
        {heading}
        <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
          <span className="font-semibold text-warn">{KIND_NAMES[kind]}</span>
          {approval.ask === "choice" && approval.subject.kind !== null && (
            <span>{approval.subject.kind}</span>
          )}
          <RelativeTime time={createdAt} />
          {expiresAt !== null && (
            <span>
              {EXPIRY_WORDS[kind]} <RelativeTime time={expiresAt} />
            </span>
          )}
        </p>
        {!scrollsTitle && titleLine}
        {(approval.ask === "form" || approval.ask === "url") && approval.more !== "" && (
          <p className={classNames("max-h-40 overflow-y-auto", WRAPPED)}>{approval.more}</p>
        )}
      </header>
      {shown === null && !scrollsTitle ? (
        <RequestEnd end={end} />
      ) : (
        <RequestView {...{ changes, root, fit, isRead, end }}>
          {scrollsTitle && titleLine}
          {shown !== null && hasSubject(shown) && <SubjectView {...shown} />}
        </RequestView>
      )}
      <Answers {...{ approval, answering, give, inert, isRead, suspensionId: id }} />
      {!isOver && footer}
    </section>
  );
}

/** The content between the title and the answers; null when the title is enough. */
function shownOf(
  approval: Approval,
  changes: readonly FileChange[],
  root: string | null,
): Parameters<typeof SubjectView>[0] | null {
  if (approval.ask === "text" || approval.ask === "form" || approval.ask === "url") return null;
  if (approval.ask === "login") return null;
  const { subject, title } = approval;
  const shown = { subject, title, root, shownFiles: new Set(changes.map(({ path }) => path)) };
  return changes.length > 0 || hasSubject(shown) ? shown : null;
}

interface AnswerInputProps {
  readonly approval: Approval;
  readonly give: (answer: unknown) => void;
  readonly inert: boolean;
  readonly isRead: boolean;
  readonly suspensionId: string;
  readonly busy: boolean;
  /** The option that is being sent. */
  readonly sending: string | null;
  readonly refused: readonly FieldError[];
}

const NONE: readonly FieldError[] = [];

function Answers({
  answering,
  ...input
}: Omit<AnswerInputProps, "busy" | "sending" | "refused"> & {
  readonly answering: Answering;
}): ReactElement | null {
  if (answering.at === "answered")
    return <p className="text-muted">Answered. The run continues.</p>;
  if (answering.at === "late") return <p className="text-muted">{answering.reason}</p>;
  const busy = answering.at === "sending";
  const sending = busy && typeof answering.answer === "string" ? answering.answer : null;
  const scrolls = input.approval.ask === "form" || input.approval.ask === "url";
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
    </div>
  );
}

function AnswerInput({
  approval,
  give,
  inert,
  isRead,
  suspensionId,
  busy,
  sending,
  refused,
}: AnswerInputProps): ReactElement | null {
  const box = { suspensionId, inert, busy, onAnswer: give };
  const buttons = { inert, isRead, sending, onChoose: give };
  switch (approval.ask) {
    case "choice":
      return <OptionButtons options={approval.options} {...buttons} />;
    case "text": {
      const options = approval.suggestions.map((text) => ({
        optionId: text,
        name: text,
        tone: "other" as const,
        always: false,
      }));
      return (
        <>
          {options.length > 0 && <OptionButtons options={options} {...buttons} />}
          <TextAnswer {...box} />
        </>
      );
    }
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

function isTyped(target: EventTarget): boolean {
  return target instanceof Element && target.closest("input,textarea,select") !== null;
}

/** A new or newly visible card ignores presses that were meant for something else. */
const INERT_MS = 500;

/** True for a moment after the key changed or the page became visible. */
function useInert(key: string): boolean {
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    let timer = setTimeout(() => setReady(key), INERT_MS);
    const onShown = (): void => {
      if (document.visibilityState !== "visible") return;
      clearTimeout(timer);
      setReady(null);
      timer = setTimeout(() => setReady(key), INERT_MS);
    };
    document.addEventListener("visibilitychange", onShown);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onShown);
    };
  }, [key]);
  return ready !== key;
}

/** Whether the element has been on the screen since `about` changed. */
function useSeen(about: string): readonly [RefCallback<HTMLElement>, boolean] {
  const [seen, setSeen] = useState<string | null>(null);
  const watch = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setSeen(about);
      });
      observer.observe(element);
      return () => observer.disconnect();
    },
    [about],
  );
  return [watch, seen === about];
}

/** Answers a suspension, one answer at a time. */
function useAnswer(
  sessionId: string,
  suspensionId: string,
): readonly [Answering, (answer: unknown) => void] {
  const [answering, setAnswering] = useState<Answering>({ at: "open" });
  const isBusy = useRef(false);
  const queries = useQueryClient();
  const give = useCallback(
    (answer: unknown) => {
      if (isBusy.current) return;
      isBusy.current = true;
      setAnswering({ at: "sending", answer });
      client.sessions
        .answer(sessionId, { suspensionId, answer })
        .then(
          (): Answering => ({ at: "answered", answer }),
          (error: unknown) => afterFailure(error, answer),
        )
        .then((next) => {
          isBusy.current = next.at === "answered" || next.at === "late";
          if (isBusy.current) pageStorage.set(draftKeyOf(suspensionId), null);
          setAnswering(next);
          announce(WORDS[next.at]);
          return queries.invalidateQueries({ queryKey: suspensionsQuery.queryKey });
        })
        .catch(() => {});
    },
    [queries, sessionId, suspensionId],
  );
  return [answering, give];
}

const WORDS = {
  open: "",
  sending: "",
  answered: "Answered",
  late: "Already answered elsewhere",
  refused: "Some fields are not valid",
  failed: "The answer was not sent",
} as const satisfies Record<Answering["at"], string>;
