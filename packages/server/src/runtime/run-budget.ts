import type { Json, JsonObject } from "../domain/json.ts";
import type { CurrentRun } from "../domain/run.ts";
import type { Session } from "../domain/session.ts";
import type { Fence, Run } from "../storage/store.ts";
import type { RuntimeContext } from "./context.ts";
import { chosenOption } from "./permission-answer.ts";

/** What a session may use, as its metadata says under `budget`: `{tokens: 200000}`, `{cost: 5, currency: "USD"}`. */
interface Budget {
  readonly tokens: number | null;
  readonly cost: number | null;
  readonly currency: string;
}

const GO_ON = "go_on";
const STOP = "stop";

/**
 * Asked before a run is given to an agent. `waiting`: the budget is used up, and somebody is asked
 * whether to go on; a yes is for this run.
 */
export async function checkBudget(
  context: RuntimeContext,
  {
    session,
    run,
    fence,
  }: { readonly session: Session; readonly run: CurrentRun; readonly fence: Fence },
): Promise<"fine" | "waiting" | "stop"> {
  const budget = budgetIn(session.metadata);
  if (budget === null) return "fine";
  const spent = describeOverrun(budget, await context.store.readRuns(session.id));
  if (spent === null) return "fine";
  const asked = (await context.store.readSuspensions(session.id)).findLast(
    ({ runId, kind }) => runId === run.id && kind === "budget",
  );
  if (asked?.status === "answered") {
    return chosenOption(asked.request, asked.answer) === GO_ON ? "fine" : "stop";
  }
  if (asked !== undefined && asked.status !== "open") return "stop";
  const at = context.clock();
  await context.execute({
    sessionId: session.id,
    command: {
      type: "suspend-run",
      at,
      runId: run.id,
      suspension: {
        id: context.newId(),
        kind: "budget",
        request: { title: `${spent} Go on with this message?`, options: OPTIONS },
        fingerprint: null,
        createdAt: at,
        expiresAt: null,
      },
    },
    extras: { fence },
  });
  return "waiting";
}

const OPTIONS: readonly JsonObject[] = [
  { optionId: GO_ON, name: "Go on", kind: "allow_once" },
  { optionId: STOP, name: "Stop", kind: "reject_once" },
];

function budgetIn(metadata: JsonObject): Budget | null {
  const budget = metadata["budget"];
  if (typeof budget !== "object" || budget === null || Array.isArray(budget)) return null;
  const entries = new Map<string, Json>(Object.entries(budget));
  const tokens = positive(entries.get("tokens"));
  const cost = positive(entries.get("cost"));
  const currency = entries.get("currency");
  if (tokens === null && cost === null) return null;
  return { tokens, cost, currency: typeof currency === "string" ? currency : "USD" };
}

/** A sentence when more is used than there was; null as long as something is left. */
function describeOverrun(budget: Budget, runs: readonly Run[]): string | null {
  const tokens = sum(runs, tokensOf);
  if (budget.tokens !== null && tokens >= budget.tokens) {
    return `The session has used ${tokens} of its ${budget.tokens} tokens.`;
  }
  const cost = sum(runs, ({ usage }) => costOf(usage, budget.currency));
  if (budget.cost !== null && cost >= budget.cost) {
    return `The session has cost ${cost.toFixed(2)} of its ${budget.cost} ${budget.currency}.`;
  }
  return null;
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
