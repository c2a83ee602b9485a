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

/** One session that goes from every agent to every other one, each time with all that was said before. */
export async function handOver(
  rig: Rig,
  { agents, onOutcome }: { agents: readonly InstalledAgent[]; onOutcome: (one: Handover) => void },
): Promise<Outcome> {
  const [first, ...steps] = tour(agents, 0);
  if (first === undefined) throw new Error("unreachable: no agents");
  const session = await openSession(rig, first.name);
  const asked = [messageOf(0)];
  const begun = await toOutcome(() => recall(session, { step: 0, agent: first, rig }));
  let from = first;
  for (const [index, to] of steps.entries()) {
    const step = index + 1;
    asked.push(messageOf(step));
    const outcome = await toOutcome(() => recall(session, { step, agent: to, rig }));
    onOutcome({ from: from.name, to: to.name, outcome });
    from = to;
  }
  const whole = await toOutcome(async () => {
    const now = await session.idle();
    assert.deepEqual(userTextsOf(now), asked);
    for (const step of asked.keys()) {
      const replies = textsOf(now).filter((text) => text === replyTo(step));
      assert.equal(replies.length, 1, `reply ${step} is not there once`);
    }
    await session.remove();
    await rig.noAgents();
    return "";
  });
  return begun.status === "passed" ? whole : begun;
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
  // One that was there before takes its own session up again, if it can at this moment.
  const wasThere = runs.slice(0, -1).some(({ provider }) => provider === agent.name);
  const how = run.memory?.how;
  const isOwn = how === "resumed" || how === "loaded";
  assert.ok(how === "briefed" || (wasThere && isOwn), `its memory is ${how}`);
  const given = rig.models.requests.findLast(
    ({ asked }) => asked?.said.some(({ text }) => text.includes(messageOf(step))) === true,
  );
  const said = given?.asked?.said.map(({ text }) => text).join("\n") ?? "";
  assert.ok(
    said.includes(`Agent: ${replyTo(step - 1)}`),
    "it was not told what the other one said",
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

/** A way that takes every step from one to another exactly once, and ends where it began. */
function tour<Item>(items: readonly Item[], at: number): readonly Item[] {
  const [here, next] = [items[at], items[at + 1]];
  if (here === undefined) return [];
  if (next === undefined) return [here];
  const others = items.slice(at + 2).flatMap((other) => [other, here]);
  return [here, ...others, ...tour(items, at + 1), here];
}
