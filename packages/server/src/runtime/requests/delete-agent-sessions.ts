import { errorText } from "../../domain/error-text.ts";
import type { ResumePoint } from "../../domain/resume-point.ts";
import type { Session } from "../../domain/session.ts";
import type { RuntimeContext } from "../context.ts";

/** What became of a session that the agent of a provider kept. */
export interface AgentSessionEnd {
  readonly provider: string;
  readonly outcome: "deleted" | "not_offered" | "failed";
  /** Why it failed. */
  readonly message: string | null;
}

/** A process is started for each deletion. */
const AT_ONCE = 2;
const MAX_MS = 60_000;

/**
 * Deletes the sessions that agents kept of a session that is deleted, one after the other. The reply and the log are all
 * that is left of a deletion that fails: nothing repeats it.
 */
export function createAgentSessionDeleter(): AgentSessionDeleter {
  let active = 0;
  const waiting: (() => void)[] = [];
  const enter = async (): Promise<void> => {
    if (active >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    active += 1;
  };
  const leave = (): void => {
    active -= 1;
    waiting.shift()?.();
  };
  return async (context, session) => {
    const ends: AgentSessionEnd[] = [];
    await enter();
    try {
      await context.untilCleared(session.id);
      for (const point of session.resumeData) ends.push(...(await endOf(context, session, point)));
    } finally {
      leave();
    }
    for (const end of ends)
      context.log.info({ sessionId: session.id, ...end }, "the agent's own session");
    return ends;
  };
}

export type AgentSessionDeleter = (
  context: RuntimeContext,
  session: Session,
) => Promise<readonly AgentSessionEnd[]>;

async function endOf(
  context: RuntimeContext,
  session: Session,
  { provider: name, data }: ResumePoint,
): Promise<readonly AgentSessionEnd[]> {
  // A fork that never ran has no session of its own.
  if (name === null || data === null) return [];
  const end = (outcome: AgentSessionEnd["outcome"], message: string | null = null) => [
    { provider: name, outcome, message },
  ];
  const provider = context.provider(name);
  if (provider === null) return end("failed", `The provider ${name} is not configured.`);
  if (provider.deleteSession === undefined) return end("not_offered");
  if (session.repoId === null) return end("failed", "The session has no repository.");
  const opened = await context.folders.open(session);
  if (!opened.ok) return end("failed", opened.refusal.message);
  const { workspace } = opened;
  try {
    const signal = AbortSignal.timeout(MAX_MS);
    const request = { sessionId: session.id, workspace, resume: data, signal };
    return end(await provider.deleteSession(request));
  } catch (error) {
    return end("failed", errorText(error));
  } finally {
    await workspace.close();
  }
}
