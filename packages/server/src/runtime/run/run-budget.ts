import type { JsonObject } from "../../domain/json.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { Fence, Run } from "../../storage/store.ts";
import { budgetIn, overrunOf, spentOf, type Budget } from "../budget.ts";
import type { RuntimeContext } from "../context.ts";
import { chosenOption } from "../permissions/permission-answer.ts";

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

/** A sentence when more is used than there was; null as long as something is left. */
function describeOverrun(budget: Budget, runs: readonly Run[]): string | null {
  const spent = spentOf(budget, runs);
  switch (overrunOf(budget, spent)) {
    case "tokens":
      return `The session has used ${spent.tokens} of its ${budget.tokens} tokens.`;
    case "cost":
      return `The session has cost ${spent.cost.toFixed(2)} of its ${budget.cost} ${budget.currency}.`;
    case null:
      return null;
  }
}
