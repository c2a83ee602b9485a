import type { JsonObject } from "../../domain/json.ts";
import type { RunFigures } from "../../storage/figures.ts";
import { isObject } from "../../storage/rows/parse.ts";

/** How ended runs came out, and what they used. */
export interface Tally extends Record<RunFigures["outcome"], number> {
  inputTokens: number;
  outputTokens: number;
  readonly cost: Map<string, number>;
}

/** A run with its usage read, or what counts as one. */
export interface EndedRun {
  readonly outcome: RunFigures["outcome"];
  readonly endedAt: number;
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: { readonly currency: string; readonly amount: number } | null;
}

export function createTally(): Tally {
  return {
    completed: 0,
    failed: 0,
    cancelled: 0,
    interrupted: 0,
    inputTokens: 0,
    outputTokens: 0,
    cost: new Map(),
  };
}

export function addToTally(tally: Tally, run: EndedRun): void {
  const { outcome, inputTokens, outputTokens, cost } = run;
  tally[outcome] += 1;
  tally.inputTokens += inputTokens;
  tally.outputTokens += outputTokens;
  if (cost === null) return;
  tally.cost.set(cost.currency, (tally.cost.get(cost.currency) ?? 0) + cost.amount);
}

export function endedIn(tally: Tally): number {
  return tally.completed + tally.failed + tally.cancelled + tally.interrupted;
}

export function toEndedRun(run: Omit<RunFigures, "provider" | "wentOn">): EndedRun {
  const { outcome, startedAt, endedAt } = run;
  const usage = run.usage ?? {};
  return {
    outcome,
    endedAt,
    durationMs: Math.max(0, endedAt - startedAt),
    inputTokens: amountIn(usage, "inputTokens"),
    outputTokens: amountIn(usage, "outputTokens"),
    cost: costIn(usage),
  };
}

function costIn(usage: JsonObject): EndedRun["cost"] {
  const cost = usage["cost"] ?? null;
  if (!isObject(cost) || typeof cost["currency"] !== "string") return null;
  return { currency: cost["currency"], amount: amountIn(cost, "amount") };
}

/** What an agent says it used is taken as it is, unless it is no amount at all. */
function amountIn(usage: JsonObject, key: string): number {
  const amount = usage[key];
  return typeof amount === "number" && amount >= 0 ? amount : 0;
}

/** Sums of decimal fractions are a little off in their last digits, which mean nothing to anybody. */
export function toCost(cost: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...cost].map(([currency, amount]) => [currency, Number(amount.toFixed(9))]),
  );
}

export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
