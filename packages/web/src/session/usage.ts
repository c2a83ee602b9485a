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

/** Such as "12.3K tokens, $0.42". */
export function usageText({ totalTokens, cost }: Usage): string {
  const parts = [...cost].flatMap(([currency, amount]) =>
    amount === 0 ? [] : [moneyText(amount, currency)],
  );
  if (totalTokens > 0) parts.unshift(`${tokens.format(totalTokens)} tokens`);
  return parts.join(", ");
}

/** The used share of the context window; null when not reported. */
export function contextShare(run: Pick<Run, "usage"> | undefined): number | null {
  const used = countIn(run?.usage?.["contextTokens"]);
  const size = countIn(run?.usage?.["contextSize"]);
  return used === 0 || size === 0 ? null : Math.min(1, used / size);
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
