import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide } from "../../domain/kernel/decide.ts";
import { dutyOf } from "../../domain/kernel/duty.ts";
import { evolve } from "../../domain/kernel/evolve.ts";
import type { Command } from "../../domain/kernel/command.ts";
import { currentRunOf, runIdOf, type Session } from "../../domain/session.ts";
import {
  cancel,
  create,
  endRun,
  HANDED,
  send,
  START,
  startRun,
  suspendRun,
} from "../../domain/testing/commands.ts";
import { anyIntents } from "../../domain/testing/intent.ts";
import { walk } from "../../domain/testing/walk.ts";
import { cutOff } from "../run/cut-run.ts";
import { takeBack } from "../run/hand-over.ts";
import {
  canBegin,
  FREE,
  isStopping,
  nextStep,
  transition,
  workOf,
  type AnyWork,
  type Step,
  type Surroundings,
  type WorkerEvent,
  type WorkerState,
} from "./worker-state.ts";

type State = WorkerState<AnyWork>;

/** Each law is tried on this many sessions. */
const RUNS = 1_500;
/** A planted bug is found by fewer; chance never needs as many. */
const UNTIL_FOUND = 100_000;

/** Sessions that the kernel can make. Random lives alone would seldom reach the states that matter most. */
const anySession: fc.Arbitrary<Session | null> = fc.oneof(
  anyIntents({ max: 12 }).map((intents) => walk(intents).at(-1)?.after ?? null),
  ...Array.from({ length: 4 }, () => anyTypicalSession()),
);

function anyTypicalSession(): fc.Arbitrary<Session | null> {
  return fc.constantFrom(
    null,
    sessionAfter(),
    sessionAfter(send(1)),
    sessionAfter(send(1, { start: START })),
    sessionAfter(send(1, { start: HANDED })),
    sessionAfter(send(1, { start: HANDED }), send(2)),
    sessionAfter(send(1, { start: HANDED }), suspendRun(1, "s1")),
    sessionAfter(send(1, { start: HANDED }), send(2), cancel()),
  );
}

function sessionAfter(...commands: readonly Command[]): Session | null {
  return commands.reduce<Session | null>(apply, apply(null, create()));
}

const anyRunId = (session: Session | null): fc.Arbitrary<string> =>
  fc.boolean().map((isOther) => (isOther ? null : runIdOf(session)) ?? "another run");

function anyState(session: Session | null): fc.Arbitrary<State> {
  const runId = anyRunId(session);
  const work = fc.record({ runId });
  const cut = fc.option(runId.map((id) => ({ runId: id, why: () => "the lease ran out" })));
  return fc.oneof(
    fc.record({ is: fc.constant("free" as const), cut }),
    fc.record({
      is: fc.constant("reserved" as const),
      runId,
      commit: fc.constantFrom("open", "over", "visible"),
    }),
    fc.record({ is: fc.constant("working" as const), work }),
    fc.record({ is: fc.constant("leaving" as const), work, cut }),
    fc.record({
      is: fc.constant("stopping" as const),
      work: fc.option(work),
      reservedRunId: fc.option(runId),
    }),
    fc.constant({ is: "stopped" as const }),
  );
}

const anySurroundings: fc.Arbitrary<Surroundings> = fc.record({
  holdsLease: fc.constantFrom(true, true, true, true, false),
  owner: fc.constantFrom("this_node", "this_node", "this_node", "other_node", "nobody", "lost"),
  mayBegin: fc.boolean(),
  isAgentReady: fc.boolean(),
  hasFound: fc.constant(false),
  mustYield: fc.boolean(),
});

interface Case {
  readonly state: State;
  readonly session: Session | null;
  readonly around: Surroundings;
}

const anyCase: fc.Arbitrary<Case> = anySession.chain((session) =>
  fc.record({
    state: anyState(session),
    session: fc.constant(session),
    around: anySurroundings,
  }),
);

type NextStep = typeof nextStep<AnyWork>;
type Law = (given: Case, next: NextStep) => void;

const LAWS: Readonly<Record<string, Law>> = {
  "gives a step for every state and every session": ({ state, session, around }, next) => {
    expect(next(state, session, around)).toHaveProperty("do");
  },

  "does nothing once it stops": ({ state, session, around }, next) => {
    if (isStopping(state)) expect(next(state, session, around).do).toBe("nothing");
  },

  "starts no agent without a lease, or for a session of another node": (
    { state, session, around },
    next,
  ) => {
    const isOurs = around.owner === "this_node" || around.owner === "nobody";
    if (!around.holdsLease || !isOurs) expect(usesAgent(next(state, session, around))).toBe(false);
  },

  "works only on the current run, and never while other work has not ended": (
    { state, session, around },
    next,
  ) => {
    const step = next(state, session, around);
    if (step.do === "continue") expect(step.work.runId).toBe(runIdOf(session));
    if (!usesAgent(step)) return;
    expect(step.run).toEqual(session === null ? null : currentRunOf(session));
    expect(workOf(state)).toBe(null);
    expect(canBegin(state, step.run.id) || isVisible(state)).toBe(true);
  },

  "hands a run that is stored as handed over only to the agent that was reserved for it": (
    { state, session, around },
    next,
  ) => {
    const step = next(state, session, around);
    if (step.do === "work") expect(step.run.handed).toBe(false);
    if (step.do !== "hand-over") return;
    expect(step.run.handed && around.isAgentReady).toBe(true);
    expect(state).toMatchObject({ is: "reserved", runId: step.run.id });
  },

  "takes back or cuts off only a run that is stored as handed over": (
    { state, session, around },
    next,
  ) => {
    const step = next(state, session, around);
    if (step.do !== "take-back" && step.do !== "cut-off") return;
    expect(step.run.handed).toBe(true);
    const isReserved = state.is === "reserved" && state.runId === step.run.id;
    expect(isReserved).toBe(step.do === "take-back");
  },

  "starts no run and no agent for a session with nothing to do": (
    { state, session, around },
    next,
  ) => {
    const { do: duty } = dutyOf(session);
    if (duty !== "rest" && duty !== "clear" && duty !== "await") return;
    const step = next(state, session, around);
    expect(usesAgent(step) || step.do === "start-run").toBe(false);
  },

  "does nothing only while something is under way that makes it look again": (
    { state, session, around },
    next,
  ) => {
    if (next(state, session, around).do !== "nothing") return;
    const isUnderWay = state.is === "leaving" || (state.is === "reserved" && !isVisible(state));
    expect(isStopping(state) || isUnderWay).toBe(true);
  },
};

function usesAgent(step: Step<AnyWork>): step is Extract<Step<AnyWork>, { run: unknown }> {
  return step.do === "work" || step.do === "hand-over";
}

function isVisible(state: State): boolean {
  return state.is === "reserved" && state.commit === "visible";
}

describe("the next step of a worker", () => {
  it.each(Object.entries(LAWS))("%s", (_, law) => {
    fc.assert(
      fc.property(anyCase, (given) => law(given, nextStep)),
      { numRuns: RUNS },
    );
  });
});

/** Each planted bug breaks one of the laws. */
const BUGS: Readonly<Record<string, NextStep>> = {
  "a stopping worker goes on": (state, session, around) =>
    nextStep(isStopping(state) ? FREE : state, session, around),
  "the lease is not looked at": (state, session, around) =>
    nextStep(state, session, { ...around, holdsLease: true }),
  "work begins before other work has ended": (state, session, around) =>
    nextStep(state.is === "leaving" ? FREE : state, session, around),
  "a run that was handed over is worked on again": (state, session, around) => {
    const step = nextStep(state, session, around);
    return step.do === "cut-off" ? { ...step, do: "work" } : step;
  },
  "an agent that is gone is handed a run": (state, session, around) =>
    nextStep(state, session, { ...around, isAgentReady: true }),
  "a cancelled run is continued": (state, session, around) => {
    const step = nextStep(state, session, around);
    return step.do === "wind-down"
      ? { do: "continue", work: step.work, isBusy: true, until: null }
      : step;
  },
  "a message that is not handed over is forgotten": (state, session, around) =>
    state.is === "reserved" ? { do: "nothing" } : nextStep(state, session, around),
};

describe("the laws of the next step find a planted bug", () => {
  it.each(Object.entries(BUGS))("%s", (_, bug) => {
    const everyLaw = fc.property(anyCase, (given) => {
      for (const law of Object.values(LAWS)) law(given, bug);
    });
    expect(fc.check(everyLaw, { numRuns: UNTIL_FOUND, endOnFailure: true }).failed).toBe(true);
  });
});

const EVENTS = [
  "send",
  "send-handed",
  "cancel",
  "agent-exits",
  "evict",
  "lose-lease",
  "commit-ends",
  "work-ends",
  "look",
  "stop",
] as const;

/** A session, its worker, and an agent that does as it is told. */
class World {
  state: State = FREE;
  session: Session | null = apply(null, create());
  /** How often each run was given to an agent. */
  readonly handed = new Map<string, number>();
  #hasAgent = true;
  #sent = 0;

  happen(event: (typeof EVENTS)[number]): void {
    const work = workOf(this.state);
    switch (event) {
      case "send":
        return this.#decide(send((this.#sent += 1)));
      case "send-handed":
        return this.#sendHanded();
      case "cancel":
        return this.#decide(cancel());
      case "agent-exits":
        this.#hasAgent = false;
        return work === null ? undefined : this.#on({ type: "end-work", work, cut: null });
      case "evict":
        this.#hasAgent = false;
        return this.#on({ type: "leave-work", why: null });
      case "lose-lease":
        this.#hasAgent = false;
        return this.#on({ type: "leave-work", why: () => "the lease ran out" });
      case "commit-ends":
        if (this.state.is === "reserved") this.#on({ type: "end-commit", runId: this.state.runId });
        return;
      case "work-ends":
        if (work === null) return;
        if (this.state.is === "working") this.#decide({ ...endRun(1), runId: work.runId });
        return this.#on({ type: "end-work", work, cut: null });
      case "look":
        return void this.look();
      case "stop":
        return this.#on({ type: "stop" });
      default:
        return event satisfies never;
    }
  }

  /** Looks at the session once, and carries the step out. */
  look(): Step<AnyWork> {
    this.#on({ type: "begin-look" });
    this.#on({ type: "end-look", session: this.session });
    const around = { holdsLease: true, owner: "this_node", mayBegin: true } as const;
    const rest = { isAgentReady: this.#hasAgent, hasFound: false, mustYield: false };
    const step = nextStep(this.state, this.session, { ...around, ...rest });
    this.#carryOut(step);
    return step;
  }

  #carryOut(step: Step<AnyWork>): void {
    const at = 0;
    switch (step.do) {
      case "start-run":
        return this.#decide({ ...startRun(1), runId: step.entry.runId });
      case "work":
        this.#decide({ type: "hand-run", at, runId: step.run.id });
        return this.#begin(step.run.id);
      case "hand-over":
        return this.#begin(step.run.id);
      case "take-back":
        for (const command of takeBack(step.session, at, step.run.id)) this.#decide(command);
        return;
      case "restore":
        return this.#decide({ type: "end-rewind", at, id: step.rewind.id, error: null });
      case "cut-off":
        for (const command of cutOff(step.run.id, { at, cut: step.cut })) this.#decide(command);
        return;
      case "wind-down":
        this.#on({ type: "leave-work", why: null });
        return this.#on({ type: "end-work", work: step.work, cut: null });
      case "clear":
        this.#hasAgent = false;
        return;
      default:
        return;
    }
  }

  #sendHanded(): void {
    const runId = `run-${(this.#sent += 1)}`;
    if (this.state.is !== "free" || !this.#hasAgent || this.session === null) return;
    this.#on({ type: "reserve", runId });
    const isIdle = dutyOf(this.session).do === "rest";
    const start = { provider: "demo", model: null, handed: isIdle };
    this.#decide({ ...send(this.#sent), runId, start: isIdle ? start : null });
  }

  #begin(runId: string): void {
    const attempts = currentRunOf(this.session ?? fail())?.attempts ?? 0;
    const key = `${runId}/${attempts}`;
    this.handed.set(key, (this.handed.get(key) ?? 0) + 1);
    this.#hasAgent = true;
    this.#on({ type: "begin-work", work: { runId } });
  }

  #on(event: WorkerEvent<AnyWork>): void {
    this.state = transition(this.state, event);
  }

  #decide(command: Command): void {
    this.session = apply(this.session, command);
  }
}

function apply(session: Session | null, command: Command): Session | null {
  const decision = decide(session, command);
  return decision.ok ? decision.events.reduce(evolve, session) : session;
}

function fail(): never {
  throw new Error("unreachable: a run without a session");
}

describe("a worker, whatever happens to it", () => {
  it("gives each run to an agent once, and comes to rest when nothing more happens", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 }), (events) => {
        const world = new World();
        for (const event of events) {
          world.happen(event);
          seen.add(world.state.is);
        }
        for (let looks = 0; looks < 500; looks += 1) {
          world.happen("commit-ends");
          const step = world.look();
          seen.add(step.do);
          if (step.do === "rest" || isStopping(world.state)) break;
          world.happen("work-ends");
        }
        expect([...world.handed.values()].every((times) => times === 1)).toBe(true);
        const isAtRest = world.state.is === "free" && dutyOf(world.session).do === "rest";
        expect(isAtRest || isStopping(world.state)).toBe(true);
      }),
      { numRuns: RUNS },
    );
    for (const name of ["reserved", "working", "leaving", "stopping", "hand-over", "take-back"])
      expect(seen).toContain(name);
  });
});
