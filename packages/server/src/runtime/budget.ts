import type { Json, JsonObject } from "../domain/json.ts";
import type { Run } from "../storage/store.ts";

/** What a session may use, as its metadata says under `budget`: `{tokens: 200000}`, `{cost: 5, currency: "USD"}`. */
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
  const budget = metadata["budget"];
  if (typeof budget !== "object" || budget === null || Array.isArray(budget)) return null;
  const entries = new Map<string, Json>(Object.entries(budget));
  const tokens = positive(entries.get("tokens"));
  const cost = positive(entries.get("cost"));
  const currency = entries.get("currency");
  if (tokens === null && cost === null) return null;
  return { tokens, cost, currency: typeof currency === "string" ? currency : "USD" };
}

export function spentOf(budget: Budget, runs: readonly Run[]): Spent {
  return {
    tokens: sum(runs, tokensOf),
    cost: sum(runs, ({ usage }) => costOf(usage, budget.currency)),
  };
}

/** What of the budget is used up; null as long as something is left. */
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
  if (typeof cost !== "object" || cost === null || Array.isArray(cost)) return 0;
  const entries = new Map<string, Json>(Object.entries(cost));
  return entries.get("currency") === currency ? (positive(entries.get("amount")) ?? 0) : 0;
}

function sum(runs: readonly Run[], of: (run: Run) => number): number {
  return runs.reduce((total, run) => total + of(run), 0);
}

function positive(value: Json | undefined): number | null {
  return typeof value === "number" && value > 0 ? value : null;
}
