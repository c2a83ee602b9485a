import { useQuery } from "@tanstack/react-query";
import { isForPerson } from "./for-person.ts";
import { suspensionsQuery } from "./queries.ts";

/** The number of requests that wait for a person. */
export function useWaitingCount(): number {
  const { data } = useQuery(suspensionsQuery);
  if (data === undefined) return 0;
  return data.suspensions.filter(isForPerson).length + data.unusedAnswers.length;
}
