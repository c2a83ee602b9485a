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
 * Checks the budget before a run is handed over to an agent. `waiting`: the budget is used up, and a person is asked
 * whether to go on. A yes counts for this run.
 */
export async function checkBudget(
  context: RuntimeContext,
  session: Session,
  run: CurrentRun,
  fence: Fence,
): Promise<"fine" | "waiting" | "stop"> {
  const budget = budgetIn(session.metadata);
  if (budget === null) return "fine";
  const spent = describeOverrun(budget, await context.store.readRuns(session.id));
  if (spent === null) return "fine";
  const question = (await context.store.readSuspensions(session.id)).findLast(
    ({ runId, kind }) => runId === run.id && kind === "budget",
  );
  if (question?.status === "answered") {
    return chosenOption(question.request, question.answer) === GO_ON ? "fine" : "stop";
  }
  if (question !== undefined && question.status !== "open") return "stop";
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

/** A sentence about a budget that is used up; null while some is left. */
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
