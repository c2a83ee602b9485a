import { isObject } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";
import { toPlan } from "../tools/plan.ts";
import { toToolCall } from "../tools/tool-call.ts";

/** The text of a message; empty when it has none. */
export function textOf({ content }: Message): string {
  const { text } = content;
  return typeof text === "string" ? text : "";
}

/** All words of a message, for searching and copying. */
export function wordsOf(message: Message): string {
  const { content } = message;
  switch (content.type) {
    case "text":
    case "thought":
      return textOf(message);
    case "tool":
      return toolWords(message);
    case "plan":
      return planWords(content);
    default:
      return [textOf(message), partsWords(content["parts"]), labelOf(content)]
        .filter((words) => words !== "")
        .join("\n");
  }
}

function toolWords(message: Message): string {
  const call = toToolCall(message);
  if (call === null) return "";
  const items = call.items.map((each) => {
    switch (each.item) {
      case "text":
      case "terminal":
        return each.text;
      case "diff":
        return `${each.path}\n${each.newText}`;
      case "part":
        return "";
      default:
        return each satisfies never;
    }
  });
  return [call.title, call.input ?? "", ...items].filter((words) => words !== "").join("\n");
}

function planWords(plan: Message["content"]): string {
  const { steps, text } = toPlan(plan);
  return [...steps.map(({ content }) => `- ${content}`), text ?? ""].join("\n").trim();
}

function partsWords(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .map((part: unknown) => (isObject(part) ? partWords(part) : ""))
    .filter((words) => words !== "")
    .join("\n\n");
}

function partWords(part: Readonly<Record<string, unknown>>): string {
  return typeof part["text"] === "string" ? part["text"] : labelOf(part);
}

function labelOf(content: Readonly<Record<string, unknown>>): string {
  const names = [content["title"], content["name"], content["uri"]];
  return names.find((name) => typeof name === "string") ?? "";
}
