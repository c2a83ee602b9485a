import type { Client } from "@holdfast/client";
import { comparedSession } from "@holdfast/protocol";

export interface Comparison {
  readonly repoId: string;
  readonly agents: readonly string[];
  readonly message: string;
  /** Where the worktrees begin; empty for the current commit. */
  readonly base: string;
}

/**
 * Gives several agents the same message, each in a session with a worktree of its own. No agent begins before all
 * sessions are there. With the same key, a repetition creates and sends nothing twice.
 */
export async function startComparison(
  sessions: Pick<Client["sessions"], "create" | "send">,
  { repoId, agents, message, base }: Comparison,
  key: string,
): Promise<readonly string[]> {
  const text = message.trim();
  const shared = { comparison: key, repoId, message: text, base: base.trim() || null };
  const ids: string[] = [];
  for (const provider of agents) {
    const request = comparedSession({ ...shared, provider });
    const options = { idempotencyKey: `${key}:${provider}` };
    ids.push((await sessions.create(request, options)).id);
  }
  for (const id of ids) await sessions.send(id, { text }, { idempotencyKey: `${key}:${id}` });
  return ids;
}
