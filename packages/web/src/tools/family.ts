import type { Message } from "@holdfast/protocol";
import { callIdOf, parentOf } from "./tool-call.ts";

interface Family {
  /** The messages of the agent itself, and those of sub-agents whose call is elsewhere. */
  readonly top: readonly Message[];
  /** The messages of each sub-agent, by the call that stands for it. */
  readonly under: ReadonlyMap<string, readonly Message[]>;
}

/** Arranges messages under the calls of the sub-agents that produced them. */
export function familyOf(messages: readonly Message[]): Family {
  const parents = new Map(
    messages.flatMap(({ content }) => {
      const callId = callIdOf(content);
      return callId === null ? [] : [[callId, parentOf(content)] as const];
    }),
  );
  const under = new Map<string, Message[]>();
  const top = messages.filter((message) => {
    const parent = parentOf(message.content);
    if (parent === null || !parents.has(parent) || isInCircle(parent, parents)) return true;
    const work = under.get(parent) ?? [];
    work.push(message);
    under.set(parent, work);
    return false;
  });
  return { top, under };
}

/** The calls around a message, from the inside: to show the message, they must be open. */
export function callsAround(messages: readonly Message[], messageId: string): readonly Message[] {
  const around: Message[] = [];
  let inner = messages.find(({ id }) => id === messageId);
  while (inner !== undefined && around.length < messages.length) {
    const parent = parentOf(inner.content);
    inner =
      parent === null ? undefined : messages.find(({ content }) => callIdOf(content) === parent);
    if (inner !== undefined) around.push(inner);
  }
  return around;
}

/** A call that is its own ancestor would never be shown. */
function isInCircle(callId: string, parents: ReadonlyMap<string, string | null>): boolean {
  let at: string | null = callId;
  for (let steps = 0; at !== null; steps += 1) {
    if (steps > parents.size) return true;
    at = parents.get(at) ?? null;
  }
  return false;
}

/** The key under which the page remembers whether the work of a sub-agent is open. */
export function workKeyOf({ id }: Message): string {
  return `${id}/work`;
}
