import type { Command } from "../kernel/command.ts";
import { decide } from "../kernel/decide.ts";
import type { Decision } from "../kernel/decision.ts";
import type { SessionEvent } from "../kernel/event.ts";
import { evolveAll } from "../kernel/evolve.ts";
import type { Session } from "../session.ts";
import { commandOf, type Intent } from "./intent.ts";

/** One command, and the session before and after it. */
export interface Step {
  readonly before: Session | null;
  readonly command: Command;
  readonly decision: Decision;
  readonly after: Session | null;
}

/** Executes the intents, starting without a session. Every value passes through `keep` before the kernel gets it. */
export function walk(
  intents: readonly Intent[],
  keep: <T>(value: T) => T = (value) => value,
): readonly Step[] {
  const steps: Step[] = [];
  let session: Session | null = null;
  let clock = 1_000_000;
  for (const [index, intent] of intents.entries()) {
    clock += intent.waitMs;
    const command: Command = keep(commandOf(intent, { session, at: clock, fresh: index }));
    const decision: Decision = keep(decide(session, command));
    const after: Session | null = keep(evolveAll(session, eventsOf(decision)));
    steps.push({ before: session, command, decision, after });
    session = after;
  }
  return steps;
}

export function eventsOf(decision: Decision): readonly SessionEvent[] {
  return decision.ok ? decision.events : [];
}

/** Freezes the value deeply, so that a change throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** The value after a round trip through storage. */
export function throughDisk<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
