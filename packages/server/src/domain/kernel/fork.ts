import type { Create } from "./command.ts";
import { presentConnections } from "../mcp-server.ts";
import { originsFor } from "../resume-point.ts";
import { stateOf, type Session } from "../session.ts";

interface Fork {
  readonly id: string;
  readonly at: number;
  readonly atMessage: string | null;
  /** Set if the fork has the whole history: the last run that started in it, if any. */
  readonly whole?: { readonly lastRun: string | null };
}

/** The command that creates an idle session from the history of another one, whatever its status. */
export function forkOf(source: Session, { id, at, atMessage, whole }: Fork): Create {
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
  // An agent at work, or a message that waits for one, is not in the agent's session as it is in the history.
  const isQuiet = stateOf(source) === "idle" && source.queue.length === 0;
  const resumeData = isQuiet && whole !== undefined ? originsFor(source, whole.lastRun) : [];
  const origins = resumeData.length > 0 && { resumeData };
  return {
    type: "create",
    at,
    id,
    agentId: null,
    ...copied,
    ...connections,
    forkedFrom,
    ...origins,
  };
}
