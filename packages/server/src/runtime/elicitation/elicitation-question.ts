import { missingSecrets, withSecrets } from "../../domain/elicitation/secret-fields.ts";
import type { Command } from "../../domain/kernel/command.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { AgentReport } from "../../providers/provider.ts";
import type { RuntimeContext } from "../context.ts";
import { carriedBy, earlierAnswer } from "../permissions/permission-answer.ts";

interface ElicitationQuestion {
  /** The ID of the new suspension. */
  readonly id: string;
  readonly sessionId: string;
  readonly run: CurrentRun;
  readonly report: Extract<AgentReport, { report: "elicitation" }>;
}

/**
 * The commands that ask for input, together with the answer if a person gave it to an earlier process of the run. Policies
 * and grants do not apply: only a person can answer. An answer whose secrets are lost is no answer.
 */
export async function elicitationQuestion(
  { store, limits, clock, secretAnswers }: RuntimeContext,
  { id, sessionId, run, report }: ElicitationQuestion,
): Promise<readonly Command[]> {
  const { request, fingerprint } = report;
  // Only an earlier process of the run can have asked the same.
  const closed = run.attempts === 0 ? [] : await store.readSuspensions(sessionId);
  const earlier = earlierAnswer(closed, { runId: run.id, kind: "elicitation", fingerprint });
  const at = clock();
  const { permissionMs } = limits;
  const suspend: Command = {
    type: "suspend-run",
    at,
    runId: run.id,
    suspension: {
      id,
      kind: "elicitation",
      request,
      fingerprint,
      createdAt: at,
      expiresAt: permissionMs === null ? null : at + permissionMs,
    },
  };
  if (earlier === null) return [suspend];
  const { answer } = earlier;
  if (missingSecrets(answer).length > 0) {
    const secrets = secretAnswers.of(earlier.id);
    if (secrets === null || withSecrets(answer, secrets) === null) return [suspend];
    secretAnswers.forget(earlier.id);
    secretAnswers.keep(id, secrets);
  }
  return [suspend, { type: "answer", at, suspensionId: id, answer, by: carriedBy(earlier) }];
}
