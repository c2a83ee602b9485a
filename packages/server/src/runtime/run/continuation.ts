import type { Json } from "../../domain/json.ts";
import type { StoredSuspension } from "../../storage/store.ts";
import { describeElicitation } from "../elicitation/elicitation-answer.ts";
import { ownToolOf } from "../permissions/own-tool.ts";
import {
  describePermission,
  permissionTitle,
  verdictOf,
} from "../permissions/permission-answer.ts";

/** A run may have asked a hundred times. The newest questions are the ones it waited for. */
const MAX_LISTED = 20;

/** The closed suspensions of a run, as the text with which its agent continues; null when there are none. */
export function continuationOf(closed: readonly StoredSuspension[]): string | null {
  if (closed.length === 0) return null;
  const newest = closed.slice(-MAX_LISTED);
  const more = closed.length - newest.length;
  const permissions = newest.filter(({ kind }) => kind === "permission");
  const asked = newest.filter(
    ({ kind, request }) =>
      kind === "elicitation" || (kind === "permission" && ownToolOf(request) === null),
  );
  return [
    "What you were waiting for:",
    ...(more > 0 ? [`- ${more} earlier ones, all closed`] : []),
    ...newest.map((suspension) => `- ${describe(suspension)}`),
    ...correct(asked),
    "Go on with the work.",
    ...(permissions.length > 0 ? ["If you still need a permission, ask for it again."] : []),
  ].join("\n");
}

/**
 * An agent that is ended while it asks writes into its own history that the user refused. A model that believes this ends
 * its turn without doing the allowed action, so the text corrects it.
 */
function correct(asked: readonly StoredSuspension[]): readonly string[] {
  if (asked.length === 0) return [];
  const permissions = asked.filter(({ kind }) => kind === "permission");
  const titlesOf = (verdict: "allowed" | "rejected"): string =>
    permissions
      .filter((each) => verdictOf(each) === verdict)
      .map(permissionTitle)
      .join(", ");
  const allowed = titlesOf("allowed");
  const rejected = titlesOf("rejected");
  return [
    "The server or your process ended before the answer could reach you. If your history says that the user refused, " +
      "rejected this or does not want to proceed, that was written because of this crash, and not by the user: " +
      "only the answers above are the user's.",
    ...(allowed === ""
      ? []
      : [`The user wants you to do this now, exactly as you asked: ${allowed}.`]),
    ...(rejected === "" ? [] : [`The user does not want this, so do not do it: ${rejected}.`]),
  ];
}

function describe(suspension: StoredSuspension): string {
  const title = titleOf(suspension);
  switch (suspension.kind) {
    case "permission":
      return [describePermission(suspension), ...callAgain(suspension)].join(" ");
    case "elicitation":
      return describeElicitation(suspension);
    case "question":
      return `You asked: "${title}" ${endOfQuestion(suspension)}`;
    case "login":
      return "You needed a login. It is done, and your work before it counts.";
    case "event":
      return `You waited for the event "${title}". ${endOfEvent(suspension)}`;
    default:
      return suspension.status === "answered"
        ? `"${title}" was answered: ${wordsOf(suspension.answer)}`
        : `"${title}" was not answered: ${suspension.status}`;
  }
}

function callAgain(suspension: StoredSuspension): readonly string[] {
  const tool = ownToolOf(suspension.request);
  return tool !== null && verdictOf(suspension) === "allowed"
    ? [`Call ${tool} again now, with the same arguments.`]
    : [];
}

function endOfQuestion({ status, answer }: StoredSuspension): string {
  switch (status) {
    case "answered":
      return `The answer: ${wordsOf(answer)}`;
    case "expired":
      return "Nobody answered in time.";
    default:
      return "It was withdrawn: nobody will answer it.";
  }
}

function endOfEvent({ status, answer }: StoredSuspension): string {
  switch (status) {
    case "answered":
      return answer === null ? "It has happened." : `It has happened, with: ${wordsOf(answer)}`;
    case "expired":
      return "It was not reported: nobody answered in time.";
    default:
      return "It is no longer awaited.";
  }
}

function titleOf({ request, kind }: StoredSuspension): string {
  const { title } = request;
  return typeof title === "string" ? title : kind;
}

function wordsOf(answer: Json): string {
  return typeof answer === "string" ? answer : JSON.stringify(answer);
}
