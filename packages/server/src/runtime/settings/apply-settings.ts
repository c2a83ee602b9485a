import { defined } from "../../domain/defined.ts";
import { optionIn } from "../../domain/settings/agent-offer.ts";
import { settingsOf, valueIn, type OptionValue } from "../../domain/settings/agent-settings.ts";
import type { CurrentRun } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import {
  AgentFault,
  type Agent,
  type ChangedByAgent,
  type WantedSettings,
} from "../../providers/provider.ts";
import type { Fence } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";

interface RunOfSession {
  readonly session: Session;
  readonly run: CurrentRun;
  readonly fence: Fence;
}

/** Brings the agent to the settings of the session and of the run, before it gets the message. Throws an `AgentFault`. */
export async function applyForRun(
  context: RuntimeContext,
  { session, run, fence }: RunOfSession,
  agent: Agent,
): Promise<void> {
  const { mode, options } = settingsOf(session.settings, run.provider);
  const wanted: WantedSettings = {
    model: run.model,
    mode,
    options,
    ...(run.settings !== undefined && { forRun: run.settings }),
  };
  if (agent.apply === undefined) return refuseAll(run.provider, wanted);
  await keepValuesBefore(context, { session, run, fence }, agent);
  await agent.apply(wanted);
}

/** Brings an idle agent back to the settings of the session. What it refuses now is reported by the next run. */
export async function applyKept(
  { log }: Pick<RuntimeContext, "log">,
  session: Session,
  agent: Agent,
): Promise<void> {
  const { mode, options } = settingsOf(session.settings, agent.provider);
  try {
    await agent.apply?.({ model: null, mode, options });
  } catch (err) {
    if (!(err instanceof AgentFault)) throw err;
    const fields = { sessionId: session.id, provider: agent.provider, code: err.code };
    log.warn({ ...fields, err }, "an idle agent did not take the settings of its session");
  }
}

/** Stores values that the agent changed itself, so that later agents get them. */
export async function keepChanges(
  { execute, clock }: Pick<RuntimeContext, "execute" | "clock">,
  agent: {
    readonly sessionId: string;
    readonly provider: string;
    readonly fence: Fence;
    /** How much of its output is stored with this. */
    readonly agentCursor?: string | undefined;
  },
  changed: ChangedByAgent,
): Promise<void> {
  const { sessionId, provider, fence, agentCursor } = agent;
  await execute({
    sessionId,
    command: { type: "keep-settings", at: clock(), provider, ...changed, by: "agent" },
    extras: { fence, ...defined({ agentCursor }) },
  });
}

/** Stores the values that the run changes for itself, so that they can be put back, even by another agent. */
async function keepValuesBefore(
  { execute, clock }: RuntimeContext,
  { session, run, fence }: RunOfSession,
  { offer }: Agent,
): Promise<void> {
  const { provider } = run;
  const kept = settingsOf(session.settings, provider).options;
  const values = Object.keys(run.settings?.options ?? {}).flatMap((id): [string, OptionValue][] => {
    const value = offer === undefined ? null : (optionIn(offer, id)?.value ?? null);
    return value === null || valueIn(kept, id) !== undefined ? [] : [[id, value]];
  });
  // A run that was cut off may have changed them before.
  if (values.length === 0 || run.attempts > 0) return;
  const options = Object.fromEntries(values);
  await execute({
    sessionId: session.id,
    command: { type: "keep-settings", at: clock(), provider, options, by: "server" },
    extras: { fence },
  });
}

function refuseAll(provider: string, { mode, options, forRun }: WantedSettings): void {
  const isWanted = mode !== null || forRun !== undefined || Object.keys(options).length > 0;
  if (!isWanted) return;
  throw new AgentFault(
    "agent_failed",
    `${provider} has no modes and options, but the session or the message chooses some`,
  );
}
