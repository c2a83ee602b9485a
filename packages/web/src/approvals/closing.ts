import { isObject } from "@holdfast/client";
import type { Suspension } from "@holdfast/protocol";
import { approvalOf } from "./approval.ts";

/** How the suspension was closed; null while it is open. */
export function closingText(suspension: Suspension): string | null {
  switch (suspension.status) {
    case "open":
      return null;
    case "answered":
      return `${answerText(suspension)}, by ${answeredBy(suspension.answeredBy)}`;
    case "withdrawn":
      return "Withdrawn by the agent";
    case "expired":
      return suspension.kind === "rate_limit" ? "The wait is over" : "Nobody answered in time";
    case "released":
      return "Closed: the run has ended";
    default:
      return suspension.status satisfies never;
  }
}

/** A person is named by their token, if any. */
function answeredBy(by: string | null): string {
  if (by === null || by === "") return "a person";
  if (by.startsWith("an earlier answer")) return "an earlier answer of a person";
  return by.startsWith("policy:") ? "the policy" : by.replace(/^token: /u, "");
}

function answerText({ kind, request, answer }: Suspension): string {
  const approval = approvalOf({ kind, request });
  if (approval.ask !== "choice") return "Answered";
  const wanted = isObject(answer) ? answer["optionId"] : answer;
  return approval.options.find(({ optionId }) => optionId === wanted)?.name ?? "Answered";
}
