import type { Create } from "./command.ts";
import { presentConnections } from "../mcp-server.ts";
import type { Session } from "../session.ts";

/** The command that creates an idle session from the history of another one, whatever its status. */
export function forkOf(
  source: Session,
  { id, at, atMessage }: { id: string; at: number; atMessage: string | null },
): Create {
  const { repoId, title, provider, model, agentName, purpose, metadata, lastRun } = source;
  const settings = source.settings.length === 0 ? {} : { settings: source.settings };
  const copied = {
    repoId,
    title,
    provider,
    model,
    agentName,
    purpose,
    metadata,
    lastRun,
    ...settings,
  };
  const connections = presentConnections(source);
  const forkedFrom = { sessionId: source.id, atMessage };
  return { type: "create", at, id, agentId: null, ...copied, ...connections, forkedFrom };
}
