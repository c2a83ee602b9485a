import { applyToSession, type StreamEvent } from "@holdfast/client";
import type {
  Message,
  QueuedMessage,
  Repository,
  Run,
  Session,
  Suspension,
  WholeSession,
} from "@holdfast/protocol";
import { callIdOf } from "../tools/tool-call.ts";

/** An open session without its transcript. */
export interface SessionView {
  readonly session: Session;
  readonly repo: Repository | null;
  readonly queue: readonly QueuedMessage[];
  /** The known runs, oldest first. */
  readonly runs: readonly Run[];
  /** Whether `runs` is complete. */
  readonly hasAllRuns: boolean;
  /** Suspensions closed while the page was open, oldest first. */
  readonly closed: readonly Suspension[];
  /** The latest tool calls, by call id. */
  readonly tools: ReadonlyMap<string, Message>;
  /** The latest plan of the agent. */
  readonly plan: Message | null;
}

const CLOSED_KEPT = 5;
const TOOLS_KEPT = 40;
const RUNS_KEPT = 500;

export function openedView(whole: WholeSession, queue: readonly QueuedMessage[]): SessionView {
  const {
    repo,
    messages,
    earlier,
    rewoundRuns: _,
    lastEventId: __,
    decisions: ___,
    ...session
  } = whole;
  const tools = messages.flatMap((message) => toolEntry(message)).slice(-TOOLS_KEPT);
  return {
    session,
    repo,
    queue,
    runs: [],
    hasAllRuns: messages.length + earlier === 0 && session.state === "idle",
    closed: [],
    tools: new Map(tools),
    plan: messages.findLast(isPlan) ?? null,
  };
}

/** The view after an event; the same object when nothing in it changes. */
export function takeEvent(before: SessionView, event: StreamEvent): SessionView {
  const session = applyToSession(before.session, event);
  const view = session === before.session ? before : { ...before, session };
  switch (event.type) {
    case "queue":
      return { ...view, queue: event.data.queue };
    case "run":
      return { ...view, runs: withRuns(view.runs, [event.data]) };
    case "suspension":
      return event.data.status === "open"
        ? view
        : { ...view, closed: withClosed(view.closed, event.data) };
    case "message": {
      if (isPlan(event.data)) return { ...view, plan: event.data };
      const [entry] = toolEntry(event.data);
      return entry === undefined ? view : { ...view, tools: withTool(view.tools, entry) };
    }
    default:
      return view;
  }
}

export function withQueue(view: SessionView, queue: readonly QueuedMessage[]): SessionView {
  return { ...view, queue, session: { ...view.session, queued: queue.length } };
}

/** Applies the session from a reply unless the view is newer. */
export function withSession(view: SessionView, session: Session): SessionView {
  return session.version < view.session.version ? view : { ...view, session };
}

/** Adds older runs; those already known are newer. */
export function withPastRuns(
  view: SessionView,
  { runs, complete }: { readonly runs: readonly Run[]; readonly complete: boolean },
): SessionView {
  return { ...view, runs: withRuns(runs, view.runs), hasAllRuns: complete };
}

function withRuns(runs: readonly Run[], newer: readonly Run[]): readonly Run[] {
  const byId = new Map([...runs, ...newer].map((run) => [run.id, run]));
  return [...byId.values()]
    .toSorted((one, other) => (one.queuedAt < other.queuedAt ? -1 : 1))
    .slice(-RUNS_KEPT);
}

function withClosed(closed: readonly Suspension[], one: Suspension): readonly Suspension[] {
  return [...closed.filter(({ id }) => id !== one.id), one].slice(-CLOSED_KEPT);
}

function withTool(
  tools: ReadonlyMap<string, Message>,
  [callId, message]: readonly [string, Message],
): ReadonlyMap<string, Message> {
  const next = new Map(tools);
  next.delete(callId);
  next.set(callId, message);
  return new Map([...next].slice(-TOOLS_KEPT));
}

function toolEntry(message: Message): (readonly [string, Message])[] {
  const callId = callIdOf(message.content);
  return callId === null ? [] : [[callId, message]];
}

function isPlan({ content }: Message): boolean {
  return content.type === "plan";
}
