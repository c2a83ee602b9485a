import type { Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { RelativeTime } from "../../ui/relative-time.tsx";

/** Why a session cannot continue, and when it is removed. */
export function RemovalLine({ session }: { readonly session: Session }): ReactElement {
  const { suspendedReason, removeAt } = session;
  return (
    <p className="border-b border-line bg-sunken px-3 py-1.5 text-xs wrap-anywhere sm:px-4">
      {suspendedReason !== null && <>This session cannot continue. {suspendedReason} </>}
      {removeAt !== null && (
        <>
          It will be removed <RelativeTime time={removeAt} past="soon" />; the settings list removed
          sessions, and can restore them.
        </>
      )}
    </p>
  );
}
