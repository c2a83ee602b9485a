import assert from "node:assert/strict";
import type { InstalledAgent } from "./install-agent.ts";
import type { Rig } from "./rig.ts";
import { toOutcome, type Outcome } from "./outcome.ts";
import { openSession, textsOf, userTextsOf, type SessionDriver } from "./session-driver.ts";

export interface Handover {
  readonly from: string;
  readonly to: string;
  readonly outcome: Outcome;
}

/** Moves one session from every agent to every other agent, each time with the whole conversation. */
export async function handOver(
  rig: Rig,
  { agents, onOutcome }: { agents: readonly InstalledAgent[]; onOutcome: (one: Handover) => void },
): Promise<Outcome> {
  const [first, ...steps] = tour(agents, 0);
  if (first === undefined) throw new Error("unreachable: no agents");
  const session = await openSession(rig, first.name);
  const prompts = [messageOf(0)];
  const start = await toOutcome(() => recall(session, { step: 0, agent: first, rig }));
  let from = first;
  for (const [index, to] of steps.entries()) {
    const step = index + 1;
    prompts.push(messageOf(step));
    const outcome = await toOutcome(() => recall(session, { step, agent: to, rig }));
    onOutcome({ from: from.name, to: to.name, outcome });
    from = to;
  }
  const whole = await toOutcome(async () => {
    const now = await session.idle();
    assert.deepEqual(userTextsOf(now), prompts);
    for (const step of prompts.keys()) {
      const replies = textsOf(now).filter((text) => text === replyTo(step));
      assert.equal(replies.length, 1, `reply ${step} is stored ${replies.length} times`);
    }
    await session.remove();
    await rig.noAgents();
    return "";
  });
  return start.status === "passed" ? whole : start;
}

async function recall(
  session: SessionDriver,
  { step, agent, rig }: { step: number; agent: InstalledAgent; rig: Rig },
): Promise<string> {
  const now = await session.say(messageOf(step), agent.name);
  assert.equal(textsOf(now).at(-1), replyTo(step));
  const runs = await session.runs();
  const run = runs.at(-1);
  assert.equal(run?.provider, agent.name);
  if (step === 0) return "";
  // An agent that worked in the session before resumes its own session if it can.
  const hasWorkedBefore = runs.slice(0, -1).some(({ provider }) => provider === agent.name);
  const how = run.memory?.how;
  const isOwn = how === "resumed" || how === "loaded";
  assert.ok(how === "briefed" || (hasWorkedBefore && isOwn), `the agent's memory is ${how}`);
  const request = rig.models.requests.findLast(
    ({ asked }) => asked?.said.some(({ text }) => text.includes(messageOf(step))) === true,
  );
  const conversation = request?.asked?.said.map(({ text }) => text).join("\n") ?? "";
  assert.ok(
    conversation.includes(`Agent: ${replyTo(step - 1)}`),
    "the agent was not told what the previous agent said",
  );
  return "";
}

function messageOf(step: number): string {
  return `CODE-${step} RECALL CODE-`;
}

function replyTo(step: number): string {
  const codes = Array.from({ length: step + 1 }, (_, each) => `CODE-${each}`);
  return `You said: ${codes.join(" ")}`;
}

/** A route that takes every ordered pair of items exactly once and ends where it started. */
function tour<Item>(items: readonly Item[], at: number): readonly Item[] {
  const [here, next] = [items[at], items[at + 1]];
  if (here === undefined) return [];
  if (next === undefined) return [here];
  const others = items.slice(at + 2).flatMap((other) => [other, here]);
  return [here, ...others, ...tour(items, at + 1), here];
}
