import type { SuspensionsReply } from "@holdfast/protocol";
import { useQueryClient } from "@tanstack/react-query";
import { isForPerson } from "../../api/for-person.ts";
import { suspensionsQuery } from "../../api/queries.ts";
import { showToast } from "../../ui/toast.ts";
import { goTo, usePlace } from "../router.ts";
import { nextOf } from "./neighbour.ts";

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
