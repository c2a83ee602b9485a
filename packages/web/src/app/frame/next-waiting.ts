import type { SuspensionsReply } from "@holdfast/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { isForPerson } from "../../api/for-person.ts";
import { suspensionsQuery } from "../../api/queries.ts";
import { showToast } from "../../ui/toast.ts";
import { goTo, usePlace } from "../router.ts";

/** Opens the next or previous session that needs the user, in the order of the inbox. */
export function useNextWaiting(): (by: 1 | -1) => void {
  const queries = useQueryClient();
  const place = usePlace();
  return (by) => {
    const reply = queries.getQueryData<SuspensionsReply>(suspensionsQuery.queryKey);
    const ids = [
      ...new Set(reply?.suspensions.filter(isForPerson).map(({ sessionId }) => sessionId)),
    ];
    const next = nextOf(ids, place?.page === "session" ? place.id : null, by);
    if (next === null) void showToast({ text: "No other session needs you" });
    else goTo({ page: "session", id: next });
  };
}

/** The neighbour of the open session, around the end. Null if there is no other one. */
export function nextOf(ids: readonly string[], open: string | null, by: 1 | -1): string | null {
  const from = open === null ? -1 : ids.indexOf(open);
  const start = from === -1 && by === -1 ? 0 : from;
  const next = ids.at((start + by) % Math.max(1, ids.length));
  return next === undefined || next === open ? null : next;
}
