import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { isObject } from "@holdfast/client";
import type { Run } from "@holdfast/protocol";

type Usage = Run["usage"];

/** How full the agent's context is, and the cost of the run; null if the agent does not say. */
export function usageUpdate(usage: Usage): SessionUpdate | null {
  const used = countOf(usage?.["contextTokens"]);
  const size = countOf(usage?.["contextSize"]);
  if (used === null || size === null) return null;
  const cost = usage?.["cost"];
  const known =
    isObject(cost) && typeof cost["amount"] === "number" && typeof cost["currency"] === "string"
      ? { cost: { amount: cost["amount"], currency: cost["currency"] } }
      : {};
  return { sessionUpdate: "usage_update", used, size, ...known };
}

/** The tokens of a prompt; nothing if the agent does not count them. */
export function promptUsage(usage: Usage): Pick<PromptResponse, "usage"> {
  const inputTokens = countOf(usage?.["inputTokens"]);
  const outputTokens = countOf(usage?.["outputTokens"]);
  if (inputTokens === null || outputTokens === null) return {};
  const totalTokens = countOf(usage?.["totalTokens"]) ?? inputTokens + outputTokens;
  return { usage: { inputTokens, outputTokens, totalTokens } };
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : null;
}
