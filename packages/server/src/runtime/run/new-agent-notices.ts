import { defined } from "../../domain/defined.ts";
import { policyIn } from "../../domain/policy/parse-policy.ts";
import { isRestrictive } from "../../domain/policy/permission-policy.ts";
import type { CurrentRun, RunMemory } from "../../domain/run.ts";
import type { Session } from "../../domain/session.ts";
import type { Run } from "../../storage/store.ts";
import type { RuntimeContext } from "../context.ts";

/** The notices in the transcript when a new agent starts to work in a session. */
export async function noticesOf(
  context: RuntimeContext,
  session: Session,
  run: CurrentRun,
  { memory, missing }: { readonly memory: RunMemory; readonly missing: readonly string[] },
): Promise<{
  readonly agent_memory?: string;
  readonly policy?: string;
  readonly connections?: string;
}> {
  const runs = await context.store.readRuns(session.id);
  const earlier = runs.filter(({ id, startedAt }) => id !== run.id && startedAt !== null);
  return defined({
    agent_memory: memoryNotice(memory, run, earlier),
    policy: await policyNotice(context, session, run, earlier),
    connections: await connectionsNotice(context, session.id, missing),
  });
}

/** Each sentence once per session. */
async function connectionsNotice(
  { store }: RuntimeContext,
  sessionId: string,
  missing: readonly string[],
): Promise<string | undefined> {
  if (missing.length === 0) return undefined;
  const said = new Set(
    (await store.readMessages({ sessionId })).flatMap(({ content: { notice, text } }) =>
      notice === "connections" && typeof text === "string" ? text.split("\n") : [],
    ),
  );
  const news = missing.filter((sentence) => !sentence.split("\n").every((line) => said.has(line)));
  return news.length === 0 ? undefined : news.join("\n");
}

/** None for the first agent of a session, and for one that resumed its own session. */
function memoryNotice(
  memory: RunMemory,
  { provider }: CurrentRun,
  earlier: readonly Run[],
): string | undefined {
  const before = earlier.findLast((run) => run.provider !== null)?.provider;
  const knowledge = describeMemory(memory);
  if (before === undefined) return memory.how === "forked" ? knowledge : undefined;
  if (provider !== before) return `${provider} goes on in place of ${before}. ${knowledge}`;
  return memory.how === "briefed" || memory.how === "none"
    ? `A new agent was started. ${knowledge}`
    : undefined;
}

function describeMemory(memory: RunMemory): string {
  switch (memory.how) {
    case "briefed":
      return `It was briefed with ${countOf(memory.given, memory.of)} earlier messages.`;
    case "told":
      return `It is given ${countOf(memory.given, memory.of)} earlier messages.`;
    case "resumed":
    case "loaded": {
      const { given, of } = memory;
      if (given === undefined || of === undefined) return "It took its own session up again.";
      const messages = of === 1 ? "the message" : `${countOf(given, of)} messages`;
      return `It took its own session up again and was told ${messages} since.`;
    }
    case "forked": {
      const { given, of } = memory;
      const copy = "The agent continues in a copy of its session in the original";
      if (given === undefined || of === undefined) return `${copy}.`;
      return `${copy} and was told ${of === 1 ? "the message" : `${countOf(given, of)} messages`} since.`;
    }
    case "live":
      return "It was there.";
    case "none":
      return "It knows nothing of what was said before.";
    default:
      return memory satisfies never;
  }
}

function countOf(given: number, of: number): string {
  return given === of ? `all ${of}` : `the last ${given} of ${of}`;
}

/** Only for the first run of an agent that may not ask for permission, in a session with a restrictive policy. */
async function policyNotice(
  { provider: providerOf, permissions: configured }: RuntimeContext,
  { metadata }: Session,
  run: CurrentRun,
  earlier: readonly Run[],
): Promise<string | undefined> {
  const provider = providerOf(run.provider);
  if (provider?.asks === undefined || provider.asks === true || run.attempts > 0) return undefined;
  if (earlier.some((each) => each.provider === run.provider)) return undefined;
  if (!isRestrictive({ configured, own: policyIn(metadata) })) return undefined;
  const { title } = await provider.describe();
  return provider.asks === false
    ? `${title} does not ask for permission: the policy cannot be enforced.`
    : `${title} may not ask for permission: the policy cannot be relied on.`;
}
