import { isObject } from "@holdfast/client";
import type { Message } from "@holdfast/protocol";

export interface PlanStep {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** Some agents send the plan as text. */
  readonly text: string | null;
}

export function toPlan({ steps, text }: Message["content"]): Plan {
  return {
    steps: Array.isArray(steps) ? steps.map(toStep) : [],
    text: typeof text === "string" && text.trim() !== "" ? text : null,
  };
}

/** Older sessions have steps in other formats. */
function toStep(step: unknown): PlanStep {
  if (typeof step === "string") return { content: step, status: "pending" };
  if (!isObject(step)) return { content: JSON.stringify(step), status: "pending" };
  const { content, title, text, status } = step;
  const words = [content, title, text].find((each) => typeof each === "string");
  return { content: words ?? JSON.stringify(step), status: toStatus(status) };
}

function toStatus(status: unknown): PlanStep["status"] {
  return status === "completed" || status === "in_progress" ? status : "pending";
}
