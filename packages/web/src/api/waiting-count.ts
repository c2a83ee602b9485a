import type { Suspension, SuspensionKind } from "@holdfast/protocol";
import { useQuery } from "@tanstack/react-query";
import { suspensionsQuery } from "./queries.ts";

/** Whether a person can resolve it; the others end by themselves or from outside. */
const FOR_A_PERSON = {
  permission: true,
  question: true,
  elicitation: true,
  tool_result: true,
  budget: true,
  login: true,
  event: false,
  rate_limit: false,
  shutdown: false,
} as const satisfies Record<SuspensionKind, boolean>;

export function isForPerson({ kind }: Pick<Suspension, "kind">): boolean {
  return FOR_A_PERSON[kind];
}

/** The number of requests that wait for a person. */
export function useWaitingCount(): number {
  const { data } = useQuery(suspensionsQuery);
  if (data === undefined) return 0;
  return data.suspensions.filter(isForPerson).length + data.unusedAnswers.length;
}
