import type { Message, OpenSuspension } from "@holdfast/protocol";
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { isForPerson } from "../../api/for-person.ts";
import type { SessionView } from "../../session/session-view.ts";
import { isDone, toToolCall } from "../../tools/tool-call.ts";
import type { TranscriptHandle } from "../../transcript/transcript-list.tsx";
import { loaded } from "../../ui/loaded.tsx";
import { useSmallScreen } from "../../ui/screen/use-small-screen.ts";
import type { CardKeys } from "../approval-card.tsx";
import { callOf } from "./call-of.ts";
import type { Folders } from "../outside.ts";
import type { ApprovalSlot } from "./approval-slot.tsx";

const SlotCard = loaded(
  () => import("./slot-card.tsx").then((m) => m.SlotCard),
  <div className="h-40" />,
);
const ReviewLine = loaded(() => import("./review-line.tsx").then((m) => m.ReviewLine));

/** An open request of the session, and the tool call in the transcript that it belongs to. */
export interface Request {
  readonly suspension: OpenSuspension;
  readonly call: Message | null;
}

/** The open requests of a session and the places where they are shown. */
export interface Requests {
  readonly all: readonly Request[];
  readonly folders: Folders;
  /** Changes whenever cards move. */
  readonly place: string;
  readonly keys: CardKeys;
  readonly slot: ApprovalSlot;
  /** Small screens show requests on a sheet, one at a time. */
  readonly hasSheet: boolean;
  /** The request on the sheet; null while the sheet is closed. */
  readonly reviewed: Request | null;
  /** Opens the sheet for a request, or closes it. */
  readonly review: (suspensionId: string | null) => void;
  /** Scrolls to the card of a request. */
  readonly show: (request: Request) => void;
}

export function useRequests(
  { session, repo, tools }: SessionView,
  transcript: RefObject<TranscriptHandle | null>,
): Requests {
  const { suspensions } = session;
  const all = useMemo(
    () => suspensions.map((suspension) => ({ suspension, call: waitingCall(suspension, tools) })),
    [suspensions, tools],
  );
  const place = suspensions.map(({ id }) => id).join(" ");
  const repository = repo?.path ?? null;
  const worktree = session.worktree?.path ?? null;
  const folders = useMemo(() => ({ repository, worktree }), [repository, worktree]);
  const [keys] = useState<CardKeys>(() => new Map());
  const hasSheet = useSmallScreen();
  const [reviewedId, review] = useReviewed(suspensions, hasSheet);
  const slot = useCallback<ApprovalSlot>(
    (suspension, call) =>
      hasSheet ? (
        <ReviewLine suspension={suspension} call={call} onReview={review} />
      ) : (
        <SlotCard
          {...{ suspension, call, folders, place, keys }}
          hasHints={place.startsWith(suspension.id)}
        />
      ),
    [hasSheet, review, folders, place, keys],
  );
  const lead = async ({ suspension, call }: Request): Promise<void> => {
    if (call !== null && cardOf(suspension) === null)
      await transcript.current?.scrollToMessage(call.id);
    // The list needs a frame to draw rows that were out of sight.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const card = cardOf(suspension);
        card?.scrollIntoView({ block: "nearest" });
        card?.focus({ preventScroll: true });
      }),
    );
  };
  const show = (request: Request): void => void lead(request);
  const reviewed = all.find(({ suspension }) => suspension.id === reviewedId) ?? null;
  return { all, folders, place, keys, slot, hasSheet, reviewed, review, show };
}

function cardOf({ id }: OpenSuspension): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-approval="${CSS.escape(id)}"]`);
}

/** The tool call that waits for the answer, if the transcript shows it. */
function waitingCall(
  suspension: OpenSuspension,
  tools: ReadonlyMap<string, Message>,
): Message | null {
  const callId = callOf(suspension);
  const message = callId === null ? undefined : tools.get(callId);
  const call = message === undefined ? null : toToolCall(message);
  return message === undefined || call === null || isDone(call) ? null : message;
}

/** The request on the sheet. A new one opens it by itself, except while a person types. */
function useReviewed(
  suspensions: readonly OpenSuspension[],
  hasSheet: boolean,
): readonly [string | null, (suspensionId: string | null) => void] {
  const [reviewedId, setReviewedId] = useState<string | null>(null);
  const known = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const forPeople = suspensions.filter(isForPerson);
    const fresh = forPeople.find(({ id }) => !known.current.has(id));
    known.current = new Set(suspensions.map(({ id }) => id));
    if (!hasSheet) return;
    setReviewedId((before) => {
      if (forPeople.some(({ id }) => id === before)) return before;
      // The answered request gives way to the next one.
      if (before !== null) return forPeople[0]?.id ?? null;
      return fresh === undefined || isTyping() ? null : fresh.id;
    });
  }, [suspensions, hasSheet]);
  return [hasSheet ? reviewedId : null, setReviewedId];
}

function isTyping(): boolean {
  return document.activeElement?.matches("input,textarea,select") === true;
}
