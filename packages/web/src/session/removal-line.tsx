import type { Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { removalText } from "../ui/removal-text.ts";
import { absoluteTime } from "../ui/time.ts";

/** Why a session cannot go on, and when it is removed; nothing for one that is kept. */
export function RemovalLine({ session }: { readonly session: Session }): ReactElement | null {
  const { suspendedReason, removeAt } = session;
  if (suspendedReason === null && removeAt === null) return null;
  return (
    <p role="status" className="border-b border-line bg-sunken px-3 py-1.5 text-sm sm:px-4">
      {suspendedReason !== null && <>This session cannot go on. {suspendedReason} </>}
      {removeAt !== null && (
        <span title={absoluteTime(removeAt)}>
          It is to be {removalText(removeAt, Date.now())}; it can be restored afterwards, from the
          settings.
        </span>
      )}
    </p>
  );
}
