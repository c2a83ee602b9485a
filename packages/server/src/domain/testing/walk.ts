import type { Command } from "../kernel/command.ts";
import { decide } from "../kernel/decide.ts";
import type { Decision } from "../kernel/decision.ts";
import type { SessionEvent } from "../kernel/event.ts";
import { evolveAll } from "../kernel/evolve.ts";
import type { Session } from "../session.ts";
import { commandOf, type Intent } from "./intent.ts";

/** One command as it met the session it met. */
export interface Step {
  readonly before: Session | null;
  readonly command: Command;
  readonly decision: Decision;
  readonly after: Session | null;
}

/** Follows the intents from nothing; `keep` can watch over every value on its way to the kernel. */
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

/** From here on, whoever changes the value or a part of it is stopped by an exception. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** As it comes back from where everything is stored. */
export function throughDisk<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
