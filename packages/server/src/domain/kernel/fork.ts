import type { Create } from "./command.ts";
import type { Session } from "../session.ts";

/** The command that creates an idle session from the history of another one, whatever its status. */
export function forkOf(
  source: Session,
  { id, at, atMessage }: { id: string; at: number; atMessage: string | null },
): Create {
  return {
    type: "create",
    at,
    id,
    agentId: null,
    repoId: source.repoId,
    title: source.title,
    provider: source.provider,
    model: source.model,
    agentName: source.agentName,
    purpose: source.purpose,
    metadata: source.metadata,
    forkedFrom: { sessionId: source.id, atMessage },
    lastRun: source.lastRun,
  };
}
