import type { Command } from "../kernel/command.ts";
import { decide } from "../kernel/decide.ts";
import type { Decision } from "../kernel/decision.ts";
import type { SessionEvent } from "../kernel/event.ts";
import { evolveAll } from "../kernel/evolve.ts";
import type { RefusalCode } from "../kernel/refusal.ts";
import type { Session } from "../session.ts";
import type { State, Status } from "../status.ts";

/** A refusal without its text, which may change. */
export interface Refused {
  readonly code: RefusalCode;
  readonly status: Status | null;
  readonly state: State | null;
}

export interface Outcome {
  /** The recorded events; empty if the command was refused. */
  readonly events: readonly SessionEvent[];
  readonly refused: Refused | null;
  readonly session: Session | null;
}

/** The session after commands that must be accepted, and the effect of one more command. */
export function given(...commands: readonly Command[]): { when(command: Command): Outcome } {
  const session = after(...commands);
  return { when: (command) => outcomeOf(session, decide(session, command)) };
}

/** The session after these commands. */
export function sessionAfter(...commands: readonly Command[]): Session {
  const session = after(...commands);
  if (session === null) throw new Error("the commands leave no session behind");
  return session;
}

function after(...commands: readonly Command[]): Session | null {
  return commands.reduce<Session | null>((session, command) => {
    const decision = decide(session, command);
    if (!decision.ok)
      throw new Error(`given ${command.type} was refused: ${decision.refusal.code}`);
    return evolveAll(session, decision.events);
  }, null);
}

function outcomeOf(session: Session | null, decision: Decision): Outcome {
  if (decision.ok)
    return { events: decision.events, refused: null, session: evolveAll(session, decision.events) };
  const { code, status, state } = decision.refusal;
  return { events: [], refused: { code, status, state }, session };
}
