import { isObject } from "@holdfast/client";
import type { Message, OpenSuspension, Suspension } from "@holdfast/protocol";
import { callIdOf } from "./tool-call.ts";

/** How a permission for a tool call was decided. */
export interface Decision {
  readonly outcome: "allowed" | "rejected" | "open";
  /** Such as "Allowed by you". */
  readonly text: string;
  readonly at: string | null;
}

/** The decisions on the tool calls of a session. */
export function createDecisions() {
  const byCall = new Map<string, Decision>();
  return {
    /** True if it decides something that is shown. */
    take(suspension: Suspension): boolean {
      const callId = suspension.request["toolCallId"];
      const decision = decisionOf(suspension);
      if (decision === null || typeof callId !== "string") return false;
      byCall.set(keyOf(suspension.runId, callId), decision);
      return true;
    },
    of({ runId, content }: Message): Decision | null {
      const callId = callIdOf(content);
      return callId === null || runId === null ? null : (byCall.get(keyOf(runId, callId)) ?? null);
    },
  };
}

/** Agents number the calls of each run from the start. */
function keyOf(runId: string, callId: string): string {
  return `${runId}/${callId}`;
}

/** Null for everything but a permission that was decided. */
export function decisionOf(suspension: Suspension): Decision | null {
  const { kind, status, answeredBy, closedAt: at } = suspension;
  if (kind !== "permission") return null;
  switch (status) {
    case "answered": {
      const isAllowed = chosenKind(suspension)?.startsWith("allow") === true;
      const text = `${isAllowed ? "Allowed" : "Rejected"} by ${authorText(answeredBy)}`;
      return { outcome: isAllowed ? "allowed" : "rejected", text, at };
    }
    case "expired":
      return { outcome: "rejected", text: "Rejected: nobody answered in time", at };
    case "withdrawn":
      return { outcome: "open", text: "Withdrawn by the agent", at };
    case "released":
    case "open":
      return null;
    default:
      return status satisfies never;
  }
}

function chosenKind({ request, answer }: Suspension): string | null {
  const chosen = isObject(answer) ? answer["optionId"] : answer;
  const { options } = request;
  if (!Array.isArray(options)) return null;
  const option = options.find((each: unknown) => isObject(each) && each["optionId"] === chosen);
  return isObject(option) && typeof option["kind"] === "string" ? option["kind"] : null;
}

const AUTHORS: ReadonlyMap<string, string> = new Map([
  ["command line", "you in a terminal"],
  ["server token", "a program"],
  ["socket", "a program"],
]);
const YOU: ReadonlySet<string | null> = new Set([
  null,
  "",
  "browser",
  "anyone (no authentication)",
]);

/** The server records a token by its name, and a rule by its number. */
function authorText(by: string | null): string {
  if (YOU.has(by) || by === null) return "you";
  if (by.startsWith("policy:")) return "a rule";
  if (by.startsWith("an earlier answer")) return "an earlier answer";
  return AUTHORS.get(by) ?? by.replace(/^token: /u, "");
}

/** An open suspension by the tool call that it is about. */
export function callOf(suspension: OpenSuspension): (readonly [string, OpenSuspension])[] {
  const callId = suspension.request["toolCallId"];
  return typeof callId === "string" ? [[callId, suspension]] : [];
}
