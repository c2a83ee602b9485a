import type { Session } from "@holdfast/protocol";
import type { ReactElement } from "react";
import { RemovalTime } from "../ui/removal-time.tsx";

/** Why a session cannot go on, and when it is removed; nothing for one that is kept. */
export function RemovalLine({ session }: { readonly session: Session }): ReactElement | null {
  const { suspendedReason, removeAt } = session;
  if (suspendedReason === null && removeAt === null) return null;
  return (
    <p className="border-b border-line bg-sunken px-3 py-1.5 text-xs wrap-anywhere sm:px-4">
      {suspendedReason !== null && <>This session cannot go on. {suspendedReason} </>}
      {removeAt !== null && (
        <>
          It will be <RemovalTime removeAt={removeAt} />; the settings list removed sessions, and
          can restore them.
        </>
      )}
    </p>
  );
}
