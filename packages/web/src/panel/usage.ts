import { isObject } from "@holdfast/client";
import type { Run } from "@holdfast/protocol";
import { moneyText } from "../ui/money.ts";

/** The usage of runs, as reported by their agents. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The reported total, or the sum of input and output. */
  readonly totalTokens: number;
  /** By currency. */
  readonly cost: ReadonlyMap<string, number>;
}

/** Null when no run reported its usage. */
export function usageOf(runs: readonly Pick<Run, "usage">[]): Usage | null {
  const reported = runs.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  if (reported.length === 0) return null;
  const cost = new Map<string, number>();
  let inputTokens = 0;
  let outputTokens = 0;
  let totalTokens = 0;
  for (const usage of reported) {
    const input = countIn(usage["inputTokens"]);
    const output = countIn(usage["outputTokens"]);
    inputTokens += input;
    outputTokens += output;
    totalTokens += countIn(usage["totalTokens"]) || input + output;
    const spent = costIn(usage["cost"]);
    if (spent !== null) cost.set(spent.currency, (cost.get(spent.currency) ?? 0) + spent.amount);
  }
  return totalTokens === 0 && [...cost.values()].every((amount) => amount === 0)
    ? null
    : { inputTokens, outputTokens, totalTokens, cost };
}

const tokens = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function tokensText(count: number): string {
  return tokens.format(count);
}

/** Such as "12.3K tokens, $0.42". */
export function usageText(usage: Usage): string {
  const { totalTokens } = usage;
  const parts = [totalTokens > 0 ? `${tokensText(totalTokens)} tokens` : "", moneyOf(usage)];
  return parts.filter((part) => part !== "").join(", ");
}

/** Such as "$0.42"; empty if nothing was reported. */
export function moneyOf({ cost }: Usage): string {
  return [...cost]
    .flatMap(([currency, amount]) => (amount === 0 ? [] : [moneyText(amount, currency)]))
    .join(", ");
}

export interface ContextUse {
  readonly used: number;
  readonly size: number;
  /** From 0 to 1. */
  readonly share: number;
}

/** How full the context window was at the last report; null when no run reported it. */
export function contextOf(runs: readonly Pick<Run, "usage">[]): ContextUse | null {
  for (const { usage } of runs.toReversed()) {
    const used = countIn(usage?.["contextTokens"]);
    const size = countIn(usage?.["contextSize"]);
    if (used > 0 && size > 0) return { used, size, share: Math.min(1, used / size) };
  }
  return null;
}

function costIn(value: unknown): { readonly amount: number; readonly currency: string } | null {
  if (!isObject(value)) return null;
  const { amount, currency } = value;
  if (typeof amount !== "number" || typeof currency !== "string") return null;
  return { amount, currency };
}

function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
