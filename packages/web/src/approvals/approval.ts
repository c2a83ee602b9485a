import { isObject } from "@holdfast/client";
import {
  answerEntries,
  readForm,
  type Form,
  type OpenSuspension,
  type Suspension,
  type SuspensionKind,
} from "@holdfast/protocol";
import { loginOf, type LoginNeed } from "./login-need.ts";
import { optionsIn, suggestedOptions, type ApprovalOption } from "./options.ts";
import { subjectOf, type Subject } from "./subject.ts";
import { visibleText } from "./visible-text.ts";

/** The request of a suspension to a person. */
export type Approval =
  | {
      readonly ask: "choice";
      readonly title: string;
      readonly subject: Subject;
      readonly options: readonly ApprovalOption[];
    }
  | { readonly ask: "text"; readonly title: string; readonly options: readonly ApprovalOption[] }
  /** Somebody must log in to the provider. The answer is an action. */
  | { readonly ask: "login"; readonly title: string; readonly login: LoginNeed }
  | {
      readonly ask: "form";
      readonly title: string;
      /** The text of the agent after its first line. */
      readonly more: string;
      readonly form: Form;
    }
  | {
      readonly ask: "url";
      readonly title: string;
      readonly more: string;
      readonly url: string;
    }
  /** A result or a payload: any JSON. */
  | { readonly ask: "json"; readonly title: string; readonly subject: Subject }
  /** It ends by itself. */
  | { readonly ask: "nothing"; readonly title: string; readonly subject: Subject };

export function approvalOf({ kind, request }: Pick<OpenSuspension, "kind" | "request">): Approval {
  const title = titleOf(kind, request);
  switch (kind) {
    case "permission":
    case "budget": {
      const options = optionsIn(request);
      const subject = subjectOf(request);
      if (options.length === 0) return { ask: "nothing", title, subject };
      return { ask: "choice", title, subject, options };
    }
    case "login":
      return { ask: "login", title, login: loginOf(request) };
    case "question":
      return { ask: "text", title, options: suggestedOptions(textsIn(request["options"])) };
    case "tool_result": {
      const { args, tool } = request;
      return { ask: "json", title, subject: subjectOf({ tool, input: args }) };
    }
    case "elicitation": {
      const { mode, schema, url } = request;
      const more = textAfterTitle(request);
      if (mode === "url" && typeof url === "string") return { ask: "url", title, more, url };
      return { ask: "form", title, more, form: readForm(schema) };
    }
    case "event": {
      const { description } = request;
      return { ask: "json", title, subject: subjectOf({ input: description }) };
    }
    case "rate_limit":
    case "shutdown":
      return { ask: "nothing", title, subject: subjectOf({}) };
    default:
      return kind satisfies never;
  }
}

export type PressedKey = Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey" | "repeat">;

/**
 * The answer of a key, or null: a digit chooses the option with that number, Escape the first rejection. Repeated keys
 * are ignored.
 */
export function answerOfKey(
  approval: Approval,
  press: PressedKey,
  { inCard }: { readonly inCard: boolean },
): string | null {
  if (press.metaKey || press.ctrlKey || press.altKey || press.repeat) return null;
  if (press.key === "Escape") return inCard ? (rejectionIn(approval)?.optionId ?? null) : null;
  if (!/^[1-9]$/u.test(press.key)) return null;
  return optionWith(approval, Number(press.key))?.optionId ?? null;
}

function optionWith(approval: Approval, digit: number): ApprovalOption | null {
  switch (approval.ask) {
    case "choice":
    case "text":
      return approval.options.find((option) => option.digit === digit) ?? null;
    case "form":
    case "url":
    case "json":
    case "login":
    case "nothing":
      return null;
    default:
      return approval satisfies never;
  }
}

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

const AUTHORS: ReadonlyMap<string, string> = new Map([
  ["browser", "a person in a browser"],
  ["command line", "the command line"],
  ["editor", "a person in an editor"],
  ["login", "a login"],
  ["orchestrator", "a program that leads agents"],
  ["server token", "a program with the server’s token"],
  ["socket", "a program on the server’s machine"],
]);

/** A person is named by their token, if any. Older answers have no author. */
function answeredBy(by: string | null): string {
  if (by === null || by === "") return "a person";
  const author = AUTHORS.get(by);
  if (author !== undefined) return author;
  if (by.startsWith("an earlier answer")) return "an earlier answer of a person";
  return by.startsWith("policy:") ? "the policy" : by.replace(/^token: /u, "");
}

function answerText({ kind, request, answer }: Suspension): string {
  const approval = approvalOf({ kind, request });
  if (approval.ask === "login")
    return isObject(answer) && answer["action"] === "cancel" ? "Ended" : "Tried again";
  if (kind === "elicitation") return elicitationText(approval, answer);
  if (approval.ask !== "choice") return "Answered";
  const chosenId = isObject(answer) ? answer["optionId"] : answer;
  return approval.options.find(({ optionId }) => optionId === chosenId)?.name ?? "Answered";
}

function elicitationText(approval: Approval, answer: unknown): string {
  const { action, content } = isObject(answer) ? answer : {};
  switch (action) {
    case "accept": {
      if (approval.ask !== "form") return "Opened";
      const entries = answerEntries(approval.form, content ?? {});
      const text = entries.map(({ title, text: value }) => `${title}: ${value}`).join("; ");
      return text === "" ? "Answered without values" : visibleText(text);
    }
    case "decline":
      return "Declined";
    case "cancel":
      return "Cancelled";
    default:
      return "Answered";
  }
}

/** The first rejecting option; null when there is none. */
export function rejectionIn(approval: Approval): ApprovalOption | null {
  if (approval.ask !== "choice") return null;
  return approval.options.find(({ tone }) => tone === "reject") ?? null;
}

/** The button that ends the run instead of an answer; null if the only card has such a button itself. */
export function givingUpLabel(approvals: readonly Approval[]): string | null {
  if (approvals.length === 1 && approvals[0]?.ask === "login") return null;
  const isRejected = approvals.every((approval) => rejectionIn(approval) !== null);
  return isRejected ? "Reject and stop" : "Stop the run";
}

/** Whether an answer rejects. */
export function isRejection(approval: Approval, answer: string): boolean {
  if (approval.ask !== "choice") return false;
  return approval.options.some(({ optionId, tone }) => optionId === answer && tone === "reject");
}

/** The heading of each kind. */
export const KIND_NAMES = {
  permission: "Permission needed",
  question: "Question",
  elicitation: "Question",
  tool_result: "Result needed",
  event: "Waiting for an event",
  budget: "Budget used up",
  login: "Login needed",
  rate_limit: "Waiting for the service",
  shutdown: "Waiting for the server",
} as const satisfies Record<SuspensionKind, string>;

/** The effect of expiry; the time follows. */
export const EXPIRY_WORDS = {
  permission: "Counts as rejected",
  question: "Closes",
  elicitation: "Counts as cancelled",
  tool_result: "Closes",
  event: "Gives up",
  budget: "Counts as no",
  login: "Closes",
  rate_limit: "Continues automatically",
  shutdown: "Closes",
} as const satisfies Record<SuspensionKind, string>;

function titleOf(kind: SuspensionKind, request: Readonly<Record<string, unknown>>): string {
  const title = [request["title"], request["name"]].find(isText);
  return title === undefined ? KIND_NAMES[kind] : visibleText(title);
}

/** The message without the line that is the title. */
function textAfterTitle({ title, message }: Readonly<Record<string, unknown>>): string {
  if (!isText(message)) return "";
  const rest = isText(title) && message.startsWith(title) ? message.slice(title.length) : message;
  return visibleText(rest.trim());
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter(isText) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
