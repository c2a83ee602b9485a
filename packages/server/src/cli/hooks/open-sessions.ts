import type { Phase } from "../../domain/phase.ts";
import type { SessionRecord, Store } from "../../storage/store.ts";

/** Of one agent in one phase; older ones are not looked at. */
export const MOST_LOOKED_AT = 1_000;

/** An agent's sessions in one of these phases, in no order. */
export async function openSessionsOf(
  store: Store,
  { agentName, phases }: { readonly agentName: string; readonly phases: readonly Phase[] },
): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = [];
  for (const phase of phases) {
    const { sessions } = await newestIn(store, { agentName, phase });
    found.push(...sessions);
  }
  return found.filter((session) => session.agentName === agentName);
}

/**
 * Few sessions are in such a phase at a time, whoever's they are, while an agent may have had very many: they are looked
 * for by their agent only where that does not hold.
 */
async function newestIn(
  store: Store,
  { agentName, phase }: { readonly agentName: string; readonly phase: Phase },
): Promise<{ readonly sessions: readonly SessionRecord[] }> {
  const all = await store.listSessions({ phase, limit: MOST_LOOKED_AT });
  if (all.next === null) return all;
  return store.listSessions({ phase, agentName, limit: MOST_LOOKED_AT });
}
