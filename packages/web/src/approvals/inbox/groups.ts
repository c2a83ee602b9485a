import type { InboxUnusedAnswer, Suspension } from "@holdfast/protocol";
import { isForPerson } from "../../api/for-person.ts";

/** Everything in the inbox that belongs to one session. */
export interface InboxGroup {
  readonly sessionId: string;
  readonly requests: readonly Suspension[];
  readonly unused: readonly InboxUnusedAnswer[];
}

/** The session that has waited longest comes first. Requests that end by themselves come last. */
export function inboxGroups(
  suspensions: readonly Suspension[],
  unused: readonly InboxUnusedAnswer[],
): { readonly forPeople: readonly InboxGroup[]; readonly others: readonly InboxGroup[] } {
  return {
    forPeople: bySession(suspensions.filter(isForPerson), unused),
    others: bySession(
      suspensions.filter((suspension) => !isForPerson(suspension)),
      [],
    ),
  };
}

function bySession(
  requests: readonly Suspension[],
  unused: readonly InboxUnusedAnswer[],
): readonly InboxGroup[] {
  const ids = new Set([...requests, ...unused].map(({ sessionId }) => sessionId));
  return [...ids].map((sessionId) => ({
    sessionId,
    requests: requests.filter((each) => each.sessionId === sessionId),
    unused: unused.filter((each) => each.sessionId === sessionId),
  }));
}
