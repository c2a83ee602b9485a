import type { Session } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useMemo, useState } from "react";
import { isForPerson } from "../../api/for-person.ts";
import { repositoriesQuery } from "../../api/queries.ts";
import { sessionName } from "../../api/session-name.ts";
import type { CardKeys } from "../../approvals/approval-card.tsx";
import { RequestSheet } from "../../approvals/session/request-sheet.tsx";

/** Answers the requests of a session, one after another, without opening the session. */
export function AnswerDialog({
  session,
  onClose,
  onClosed,
}: {
  readonly session: Session;
  readonly onClose: () => void;
  /** Places the focus. */
  readonly onClosed: () => void;
}): ReactElement | null {
  const { id, repoId, worktree, suspensions } = session;
  const repos = useQuery(repositoriesQuery).data?.repos;
  const [reviewedId, setReviewedId] = useState<string | null>(null);
  const [keys] = useState<CardKeys>(() => new Map());
  const all = useMemo(
    () => suspensions.filter(isForPerson).map((suspension) => ({ suspension, call: null })),
    [suspensions],
  );
  const repository = repos?.find((repo) => repo.id === repoId)?.path ?? null;
  const worktreePath = worktree?.path ?? null;
  const folders = useMemo(
    () => ({ repository, worktree: worktreePath }),
    [repository, worktreePath],
  );
  const request = all.find(({ suspension }) => suspension.id === reviewedId) ?? all[0];
  if (request === undefined) return null;
  const place = all.map(({ suspension }) => suspension.id).join(" ");
  const review = (suspensionId: string | null): void =>
    suspensionId === null ? onClose() : setReviewedId(suspensionId);
  return (
    <RequestSheet
      sessionId={id}
      requests={{ all, folders, place, keys, review }}
      request={request}
      under={{ title: sessionName(session), back: "Sessions", onClosed }}
    />
  );
}
