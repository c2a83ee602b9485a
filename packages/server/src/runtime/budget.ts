import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import type { Run } from "../storage/store.ts";

export const BUDGET_KEY = "budget";

/** The limits in `metadata.budget` of a session: `{tokens: 200000}`, `{cost: 5, currency: "USD"}`. */
export interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly currency: string;
}

export interface Spent {
  readonly tokens: number;
  /** In the budget's currency. */
  readonly cost: number;
}

export function budgetIn(metadata: JsonObject): Budget | null {
  const budget = metadata[BUDGET_KEY];
  if (!isObject(budget)) return null;
  const tokens = positive(budget["tokens"]);
  const cost = positive(budget["cost"]);
  const currency = budget["currency"];
  if (tokens === null && cost === null) return null;
  return { tokens, cost, currency: typeof currency === "string" ? currency : "USD" };
}

export function spentOf(budget: Budget, runs: readonly Run[]): Spent {
  return {
    tokens: sum(runs, tokensOf),
    cost: sum(runs, ({ usage }) => costOf(usage, budget.currency)),
  };
}

/** The exhausted limit; null if none is exhausted. */
export function overrunOf(budget: Budget, spent: Spent): "tokens" | "cost" | null {
  if (budget.tokens !== null && spent.tokens >= budget.tokens) return "tokens";
  return budget.cost !== null && spent.cost >= budget.cost ? "cost" : null;
}

function tokensOf({ usage }: Run): number {
  if (usage === null) return 0;
  const { totalTokens, inputTokens, outputTokens } = usage;
  return positive(totalTokens) ?? (positive(inputTokens) ?? 0) + (positive(outputTokens) ?? 0);
}

function costOf(usage: JsonObject | null, currency: string): number {
  const cost = usage?.["cost"];
  if (!isObject(cost) || cost["currency"] !== currency) return 0;
  return positive(cost["amount"]) ?? 0;
}

function sum(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.reduce((total, run) => total + of(run), 0);
}

function positive(value: Json | undefined): number | null {
  return typeof value === "number" && value > 0 ? value : null;
}
