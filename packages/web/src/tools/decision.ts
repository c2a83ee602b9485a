import { isObject } from "@holdfast/client";
import type * as wire from "@holdfast/protocol";
import type { Message, OpenSuspension, Suspension } from "@holdfast/protocol";
import { callIdOf } from "./tool-call.ts";

/** How a permission for a tool call was decided, in words. */
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
    /** True if it is shown. */
    take(decided: wire.Decision): boolean {
      const decision = inWords(decided);
      if (decision === null) return false;
      byCall.set(keyOf(decided.runId, decided.callId), decision);
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

/** The decision of a closed permission, as the server lists it. Null for every other suspension. */
export function decisionOf(suspension: Suspension): wire.Decision | null {
  const { id: suspensionId, runId, kind, status, request, answeredBy, closedAt } = suspension;
  const { toolCallId: callId } = request;
  if (kind !== "permission" || status === "open" || typeof callId !== "string") return null;
  const chosen = chosenKind(suspension);
  return { suspensionId, runId, callId, status, chosen, answeredBy, closedAt };
}

/** Null for a permission that ended undecided with its run. */
export function inWords({
  status,
  chosen,
  answeredBy,
  closedAt: at,
}: wire.Decision): Decision | null {
  switch (status) {
    case "answered": {
      const isAllowed = chosen?.startsWith("allow") === true;
      const text = `${isAllowed ? "Allowed" : "Rejected"} by ${authorText(answeredBy)}`;
      return { outcome: isAllowed ? "allowed" : "rejected", text, at };
    }
    case "expired":
      return { outcome: "rejected", text: "Rejected: nobody answered in time", at };
    case "withdrawn":
      return { outcome: "open", text: "Withdrawn by the agent", at };
    case "released":
      return null;
    default:
      return status satisfies never;
  }
}

/** An answer names an option, or a kind that only one option has. */
function chosenKind({ request, answer }: Suspension): string | null {
  const chosen = isObject(answer) ? answer["optionId"] : answer;
  const options = Array.isArray(request["options"]) ? request["options"].filter(isObject) : [];
  const ofKind = options.filter(({ kind }) => kind === chosen);
  const option =
    options.find(({ optionId }) => optionId === chosen) ??
    (ofKind.length === 1 ? ofKind[0] : undefined);
  return typeof option?.["kind"] === "string" ? option["kind"] : null;
}

const AUTHORS: ReadonlyMap<string, string> = new Map([
  ["command line", "you in a terminal"],
  ["editor", "you in an editor"],
  ["orchestrator", "a program that leads agents"],
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
export function authorText(by: string | null): string {
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
