import type { Suspension, SuspensionKind } from "@holdfast/protocol";

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
