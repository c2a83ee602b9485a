import type { OpenSuspension } from "@holdfast/protocol";
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useId,
  useMemo,
  useRef,
} from "react";
import { announce } from "../app/announce.tsx";
import { classNames } from "../ui/class-names.ts";
import { useSmallScreen } from "../ui/screen/use-small-screen.ts";
import {
  answerOfKey,
  type Approval,
  approvalOf,
  isRejection,
  type PressedKey,
} from "./approval.ts";
import { CardAnswers } from "./card-answers.tsx";
import { CardHead, CardTitle, OutsideWarning } from "./card-head.tsx";
import type { FileChange } from "./change-view.tsx";
import { headlineOf, scopeOf, showsCommand, type Headline } from "./headline.ts";
import { type Folders, outsideOf, rootOf } from "./outside.ts";
import { RequestEnd, RequestView } from "./request-view.tsx";
import { hasSubject, SubjectView, type SubjectViewProps, WRAPPED } from "./subject-view.tsx";
import { useAnswer, useInert, useSeen } from "./use-answer.ts";

/** Longer titles scroll with the content. */
const MAX_TITLE = 300;

/** The cards that are on the page: each takes the digits that are pressed outside of it. */
export type CardKeys = Map<string, (press: PressedKey) => void>;

export interface ApprovalCardProps {
  readonly sessionId: string;
  readonly suspension: OpenSuspension;
  /** The changes of the tool call, if known. */
  readonly changes: readonly FileChange[];
  readonly folders: Folders;
  /** Changes whenever cards move: a press meant for another card is ignored. */
  readonly place: string;
  readonly keys: CardKeys;
  /**
   * `row`: as high as its content, up to a limit. `fit`: as high as there is room. `fill`: all of a phone's screen. The
   * content scrolls, the answers stay visible.
   */
  readonly shape: "row" | "fit" | "fill";
  /** Whether the digits are shown; the card with the focus always shows them. */
  readonly hasHints?: boolean;
  readonly footer?: ReactNode;
  readonly onAnswered?: (() => void) | undefined;
}

/** A request of a run, shown completely, with its possible answers. */
export function ApprovalCard({
  sessionId,
  suspension,
  changes,
  folders,
  place,
  keys,
  shape,
  hasHints = true,
  footer,
  onAnswered,
}: ApprovalCardProps): ReactElement {
  const { id } = suspension;
  const approval = useMemo(() => approvalOf(suspension), [suspension]);
  const headline = useMemo(() => headlineOf(approval, changes), [approval, changes]);
  const root = rootOf(folders);
  const shown = useMemo(
    () => shownOf(approval, { headline, changes, root }),
    [approval, headline, changes, root],
  );
  const outside = useMemo(
    () => (shown === null ? null : outsideOf(pathsOf(shown, changes), folders)),
    [shown, changes, folders],
  );
  const [answering, give] = useAnswer(sessionId, id, onAnswered);
  const inert = useInert(`${id} ${place}`);
  const [end, isRead] = useSeen(id, JSON.stringify([suspension.request, changes]));
  const forThumbs = useSmallScreen();
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const answers = useRef<HTMLDivElement>(null);
  const more = useRef<HTMLButtonElement>(null);
  const isOver = answering.at === "answered" || answering.at === "late";
  const takesKeys = !inert && !isOver && answering.at !== "sending";

  const press = (event: PressedKey, where: { readonly inCard: boolean }): boolean => {
    const answer = takesKeys ? answerOfKey(approval, event, where) : null;
    if (answer === null) return false;
    if (!where.inCard && !isOnScreen(answers)) {
      card.current?.scrollIntoView({ block: "center" });
    } else if (isRead || isRejection(approval, answer)) {
      give(answer);
    } else if (more.current !== null) {
      announce(more.current.textContent);
      more.current.click();
    }
    return true;
  };
  // With the same commit that draws the answers: a key must not meet the state before it.
  useLayoutEffect(() => {
    keys.set(id, (event) => void press(event, { inCard: false }));
    return () => void keys.delete(id);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    // In a sheet, Escape leads to the transcript.
    const isLeft = shape === "fill" && event.key === "Escape";
    if (isLeft || isTyped(event.target) || !press(event, { inCard: true })) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const scrollsTitle = headline.title.length > MAX_TITLE;
  const subject = shown !== null && hasSubject(shown) && <SubjectView {...shown} />;
  const hasContent = changes.length > 0 || subject !== false || scrollsTitle;
  return (
    // The keys duplicate the buttons inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={card}
      aria-labelledby={titleId}
      data-approval={id}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className={classNames(
        "group/card flex flex-col gap-3 bg-surface text-fg",
        SHAPES[shape],
        hasHints && "shows-digits",
      )}
    >
      <header className="flex shrink-0 flex-col gap-1.5">
        <CardHead {...{ suspension, headline, titleId }} hasTitle={!scrollsTitle} />
        {(approval.ask === "form" || approval.ask === "url") && approval.more !== "" && (
          <p className={classNames("max-h-40 overflow-y-auto", WRAPPED)}>{approval.more}</p>
        )}
        {outside !== null && <OutsideWarning outside={outside} />}
      </header>
      {hasContent ? (
        <RequestView {...{ changes, root, shape, isRead, end, more }}>
          {scrollsTitle && <CardTitle id={titleId} headline={headline} />}
          {subject}
        </RequestView>
      ) : (
        <RequestEnd end={end} />
      )}
      <div
        ref={answers}
        className={classNames(
          "flex flex-col gap-3",
          shape === "fill" && "mt-auto",
          shown === null ? "min-h-0" : "shrink-0",
        )}
      >
        <CardAnswers
          {...{ approval, answering, give, inert, isRead }}
          suspensionId={id}
          scope={shown === null ? "" : scopeOf(shown.subject, root)}
          forThumbs={forThumbs}
          footer={!isOver && footer}
        />
      </div>
    </section>
  );
}

const SHAPES = {
  row: "shrink-0 rounded-lg border border-warn p-3 sm:p-4",
  fit: "min-h-0 rounded-lg border border-warn p-3 sm:p-4",
  fill: "min-h-0 flex-1 px-3 pb-3 outline-none",
} as const satisfies Record<ApprovalCardProps["shape"], string>;

/** The content between the title and the answers; null for kinds without one. */
function shownOf(
  approval: Approval,
  {
    headline,
    changes,
    root,
  }: {
    readonly headline: Headline;
    readonly changes: readonly FileChange[];
    readonly root: string | null;
  },
): SubjectViewProps | null {
  switch (approval.ask) {
    case "choice":
    case "json":
    case "nothing": {
      const { subject } = approval;
      const isCommandShown = showsCommand(headline, subject);
      return { subject, isCommandShown, root, shownFiles: changes.map(({ path }) => path) };
    }
    case "text":
    case "form":
    case "url":
    case "login":
      return null;
    default:
      return approval satisfies never;
  }
}

function pathsOf({ subject }: SubjectViewProps, changes: readonly FileChange[]): readonly string[] {
  return [...subject.paths, ...changes.map(({ path }) => path)];
}

function isTyped(target: EventTarget): boolean {
  return target instanceof Element && target.closest("input,textarea,select") !== null;
}

/** Whether the middle of an element can be seen: it is not scrolled away, and nothing covers it. */
function isOnScreen({ current }: RefObject<HTMLElement | null>): boolean {
  if (current === null) return false;
  const { left, top, width, height } = current.getBoundingClientRect();
  const shown = document.elementFromPoint(left + Math.min(width, 40) / 2, top + height / 2);
  return current.contains(shown);
}
