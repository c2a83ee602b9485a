import { isArray, isObject, type Json } from "../../../domain/json.ts";
import type { MessageContent } from "../../../domain/message.ts";
import type { AgentReport } from "../../provider.ts";
import { looseLabel, looseList, looseObject, looseText, type Loose } from "../wire/loose.ts";
import { shortenText } from "../wire/shorten.ts";
import type { ToolReport } from "./tool-calls.ts";

const MAX_STEPS = 200;
const MAX_STEP_BYTES = 4 * 1024;

/** Reads a `plan`, or a `plan_update` with the plan inside; null if it contains none. */
export function planContent(update: Loose): MessageContent | null {
  const plan = looseObject(update["plan"]) ?? update;
  if (Array.isArray(plan["entries"])) return { type: "plan", steps: stepsOf(plan["entries"]) };
  const text =
    plan["type"] === "markdown"
      ? looseText(plan["content"])
      : plan["type"] === "file"
        ? looseText(plan["uri"])
        : null;
  return text === null ? null : { type: "plan", steps: [], text: shortenText(text) };
}

/** Some agents write their plan with a tool. The call is shown as what it is, too. */
export function planOfTool({ content }: ToolReport): readonly AgentReport[] {
  const { args = null } = content;
  const todos: Json = isObject(args) ? (args["todos"] ?? null) : null;
  if (!isArray(todos) || todos.length === 0 || !todos.every(isTodo)) return [];
  return [{ report: "plan", content: { type: "plan", steps: stepsOf(todos) } }];
}

function isTodo(item: Json): boolean {
  return (
    isObject(item) && typeof item["content"] === "string" && typeof item["status"] === "string"
  );
}

function stepsOf(
  entries: readonly unknown[],
): { content: string; status: string; priority: string }[] {
  return looseList(entries).slice(0, MAX_STEPS).flatMap(parseStep);
}

function parseStep(item: unknown): { content: string; status: string; priority: string }[] {
  const entry = looseObject(item);
  const content = looseText(entry?.["content"]);
  if (content === null) return [];
  return [
    {
      content: shortenText(content, MAX_STEP_BYTES),
      status: looseLabel(entry?.["status"]) ?? "pending",
      priority: looseLabel(entry?.["priority"]) ?? "medium",
    },
  ];
}
