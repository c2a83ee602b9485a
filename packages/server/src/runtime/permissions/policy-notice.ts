import { policyIn } from "../../domain/policy/parse-policy.ts";
import { isRestrictive } from "../../domain/policy/permission-policy.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/**
 * The notice in the transcript when an agent that may not ask for permission first works in a session with a restrictive
 * policy; null otherwise.
 */
export async function policyNotice(
  { store, provider: providerOf, permissions }: RuntimeContext,
  { session, run }: { readonly session: Session; readonly run: CurrentRun },
): Promise<string | null> {
  const provider = providerOf(run.provider);
  if (provider?.asks === undefined || provider.asks === true || run.attempts > 0) return null;
  if (!isRestrictive({ configured: permissions, own: policyIn(session.metadata) })) return null;
  const runs = await store.readRuns(session.id);
  const isKnown = runs.some(
    (each) => each.id !== run.id && each.startedAt !== null && each.provider === run.provider,
  );
  if (isKnown) return null;
  const { title } = await provider.describe();
  return provider.asks === false
    ? `${title} does not ask for permission: the policy cannot be enforced.`
    : `${title} may not ask for permission: the policy cannot be relied on.`;
}
