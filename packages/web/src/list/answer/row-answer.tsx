import { type ReactElement, useEffect, useRef } from "react";
import { statusWord } from "../../api/status-word.ts";
import { loaded } from "../../ui/loaded.tsx";
import type { RowProps } from "../rows/session-row.tsx";

const AnswerDialog = loaded(() => import("./answer-dialog.tsx").then((m) => m.AnswerDialog));

/** The dialog for the requests of a row. It closes once nothing is left to answer; the focus returns to the list. */
export function RowAnswer({
  rows,
  id,
  focus,
  onClose,
}: {
  readonly rows: readonly Pick<RowProps, "session">[];
  readonly id: string;
  readonly focus: (id: string | undefined) => void;
  readonly onClose: () => void;
}): ReactElement | null {
  const index = rows.findIndex(({ session }) => session.id === id);
  const session = rows[index]?.session;
  const isAsked = session !== undefined && statusWord(session) === "Needs you";
  const latest = useRef({ focus, isGone: false });
  // A filter may remove the row when it is answered: its neighbour gets the focus.
  const neighbour = useRef<string | undefined>(undefined);
  useEffect(() => {
    latest.current = { focus, isGone: index === -1 };
    if (index !== -1) neighbour.current = (rows[index + 1] ?? rows[index - 1])?.session.id;
  });
  useEffect(() => {
    if (!isAsked) onClose();
  }, [isAsked, onClose]);
  if (!isAsked) return null;
  return (
    <AnswerDialog
      session={session}
      onClose={onClose}
      onClosed={() => latest.current.focus(latest.current.isGone ? neighbour.current : id)}
    />
  );
}
