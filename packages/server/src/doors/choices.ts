import { isObject } from "@holdfast/client";
import { loginRequestSchema, type OpenSuspension } from "@holdfast/protocol";
import { textOf } from "./text-of.ts";

/** One of the answers that a question offers. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  /** Of an option of a permission: what it means for the agent. */
  readonly kind: string | null;
}

/** The answers to choose from; for a free question, suggestions. */
export function choicesOf({ kind, request }: OpenSuspension): readonly Choice[] {
  if (kind === "login") return LOGIN_CHOICES;
  const options: readonly unknown[] = Array.isArray(request["options"]) ? request["options"] : [];
  if (kind === "question")
    return options
      .filter((option) => typeof option === "string")
      .map((text) => ({ id: text, name: text, kind: null }));
  return options.filter(isObject).flatMap((option) => {
    const id = textOf(option["optionId"]);
    if (id === null) return [];
    return [{ id, name: textOf(option["name"]) ?? id, kind: textOf(option["kind"]) }];
  });
}

const LOGIN_CHOICES: readonly Choice[] = [
  { id: "retry", name: "I have logged in: try again", kind: "allow_once" },
  { id: "cancel", name: "End the run", kind: "reject_once" },
];

/** What is asked, in one line, with what a person does for a login. */
export function titleOf({ kind, request }: Pick<OpenSuspension, "kind" | "request">): string {
  const title = textOf(request["title"]) ?? "The agent waits.";
  if (kind !== "login") return title;
  const login = loginRequestSchema.safeParse(request);
  return login.success ? `${title} Run: holdfast login ${login.data.provider}` : title;
}
