import { neutraliseLine } from "../terminal/neutralise.ts";
import type { Option, Question } from "./question.ts";

type Choice = Pick<Extract<Question, { ask: "choice" }>, "kind" | "input" | "locations">;

export function nameOf({ name, optionId }: Option): string {
  return neutraliseLine(name === "" ? optionId : name);
}

/** An option for always states the scope that Holdfast applies before the words of the agent. */
export function optionText(option: Option, choice: Choice): string {
  const verb = VERBS.get(option.kind);
  if (verb === undefined) return nameOf(option);
  return `${verb} ${scopeOf(choice)} in this session (the agent’s words: ${nameOf(option)})`;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["allow_always", "Always allow"],
  ["reject_always", "Always reject"],
]);

/** The files and the command are shown above the options. */
function scopeOf({ kind, locations }: Choice): string {
  const work = OF_FILES.get(kind ?? "");
  if (work !== undefined && locations.length > 0)
    return `${work} ${locations.length === 1 ? "this file" : "these files"}`;
  return kind === "execute" ? "this command" : "this request";
}

const OF_FILES: ReadonlyMap<string, string> = new Map([
  ["read", "reading"],
  ["edit", "edits of"],
  ["delete", "deletion of"],
  ["move", "moves of"],
]);
