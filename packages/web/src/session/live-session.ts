import {
  HoldfastError,
  MissingMessageError,
  type Client,
  type StreamEvent,
  errorText,
} from "@holdfast/client";
import type { QueuedMessage, Run, Session, WholeSession } from "@holdfast/protocol";
import { createStore } from "../api/store.ts";
import { delayAfter, type Waiting } from "../api/retrying-fetch.ts";
import {
  openedView,
  takeEvent,
  withPastRuns,
  withQueue,
  withSession,
  type SessionView,
} from "./session-view.ts";

/** The state of an open session page. */
export type LiveState =
  | { readonly at: "opening" }
  | { readonly at: "missing" }
  /** Retried automatically unless `final`. */
  | { readonly at: "failed"; readonly reason: string; readonly final: boolean }
  | { readonly at: "deleted"; readonly view: SessionView }
  | { readonly at: "open"; readonly view: SessionView; readonly link: Link };

/** Whether the page receives the session's events. */
export type Link = "live" | "broken" | "catching up" | { readonly refused: string };

/** The messages that are read at first; the transcript reads older ones when they are needed. */
const TAIL = 200;

export type LiveSession = ReturnType<typeof createLiveSession>;

export interface LiveSessionOptions {
  readonly id: string;
  readonly sessions: Pick<Client["sessions"], "get" | "queue" | "events" | "runs">;
  readonly waiting: Waiting;
  /** Receives the last messages. The session is shown when it resolves. */
  readonly onLoad: (whole: WholeSession) => Promise<void> | void;
  readonly onEvent: (event: StreamEvent) => void;
  /** Receives earlier runs. */
  readonly onRuns: (runs: readonly Run[]) => void;
  /** Reports a missed event; the session is loaded again. */
  readonly onFault: (error: Error) => void;
}

/** One session: its end is loaded once, then updated by its events. */
export function createLiveSession(options: LiveSessionOptions) {
  const { id, sessions, waiting } = options;
  const { current, set, subscribe } = createStore<LiveState>({ at: "opening" });
  const change = (next: (view: SessionView) => SessionView): void => {
    const state = current();
    if (state.at !== "open") return;
    const view = next(state.view);
    if (view !== state.view) set({ ...state, view });
  };
  const setLink = (link: Link): void => {
    const state = current();
    if (state.at === "open" && state.link !== link) set({ ...state, link });
  };

  /** The queue is read after the session; later changes arrive as events. */
  const read = async (signal: AbortSignal): Promise<WholeSession> => {
    const whole = await sessions.get(id, { tail: TAIL, signal });
    const queue = whole.queued === 0 ? [] : (await sessions.queue(id, { signal })).queue;
    await options.onLoad(whole);
    set({ at: "open", view: openedView(whole, queue), link: "catching up" });
    return whole;
  };

  const follow = async (whole: WholeSession, signal: AbortSignal): Promise<void> => {
    const { lastEventId: after } = whole;
    const onConnection = (now: "open" | "broken"): void => setLink(now === "open" ? "live" : now);
    for await (const event of sessions.events(whole.id, { after, signal, onConnection })) {
      options.onEvent(event);
      if (event.type === "deleted") {
        const state = current();
        if (state.at === "open") set({ at: "deleted", view: state.view });
        return;
      }
      change((view) => takeEvent(view, event));
    }
  };

  const learnRuns = async (whole: WholeSession, signal: AbortSignal): Promise<void> => {
    const { pastStart, readPastRuns } = await import("./past-runs.ts");
    const until = Number(whole.lastEventId);
    const start = whole.earlier > 0 ? (whole.messages[0]?.seq ?? 1) - 1 : 0;
    const after = Math.max(start, pastStart(whole.messages, until));
    const past = await readPastRuns(sessions, { id: whole.id, after, until, signal });
    takePastRuns(past);
    // The log was too long to be read from its beginning.
    if (past.complete) return;
    const { readFirstRuns } = await import("./first-runs.ts");
    takePastRuns(await readFirstRuns(sessions, { id: whole.id, signal }));
  };

  const takePastRuns = (past: Parameters<typeof withPastRuns>[1]): void => {
    change((view) => withPastRuns(view, past));
    options.onRuns(past.runs);
  };

  return {
    current,
    subscribe,
    /** Applies the reply to a request before the matching event arrives. */
    setSession: (session: Session): void => change((view) => withSession(view, session)),
    setQueue: (queue: readonly QueuedMessage[]): void => change((view) => withQueue(view, queue)),
    /** Follows the session until the signal aborts. */
    async run(signal: AbortSignal): Promise<void> {
      for (let failures = 1; !signal.aborted; failures += 1) {
        try {
          const whole = await read(signal);
          // What past runs used and changed is optional: a failure is ignored.
          void learnRuns(whole, signal).catch(() => {});
          await follow(whole, signal);
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (error instanceof MissingMessageError) options.onFault(error);
          const state = current();
          const failed = afterFailure(error);
          if (state.at !== "open") set(failed);
          else if (failed.at === "missing") set({ at: "deleted", view: state.view });
          else setLink({ refused: errorText(error) });
          if (failed.at === "missing" || failed.final) return;
          await waiting.pause(delayAfter(failures, waiting.random), signal);
        }
      }
    },
  };
}

function afterFailure(error: unknown): Extract<LiveState, { at: "missing" | "failed" }> {
  const isNo = error instanceof HoldfastError && error.status < 500;
  if (isNo && error.status === 404) return { at: "missing" };
  // The client throws a TypeError for an invalid id: no such session exists.
  if (error instanceof TypeError) return { at: "missing" };
  return { at: "failed", reason: errorText(error), final: isNo };
}
