import type { Agent } from "../../providers/provider.ts";
import type { RunPrompt } from "./run-prompt.ts";

/**
 * The states of an attempt at a run. Pure: `RunAttempt` does what they stand for.
 *
 *              hand              prompt                 end
 *  preparing ───────▶ handing ──────────▶ prompted ──────────────▶ ended
 *                      ▲   │                 │                      ▲ ▲
 *                      │   └── refused ──────┼──────────────────────┘ │
 *                 hand │                     │ pause                  │
 *                      └──────── pausing ◀───┘                        │
 *                                   └────────────── refused ──────────┘
 *
 *  each ── the server's side fails ──▶ broken
 *
 * The agent gets the prompt only on the way from `handing` to `prompted`, after the hand-over is stored.
 */
export type AttemptState =
  | { readonly is: "preparing" }
  /** It is being stored that the agent is about to get the prompt. */
  | { readonly is: "handing"; readonly agent: Agent; readonly prompt: RunPrompt }
  | {
      readonly is: "prompted";
      readonly agent: Agent;
      readonly prompt: RunPrompt;
      /** A prompt after which a tool was used is not repeated. */
      readonly hasUsedTools: boolean;
    }
  /** The agent failed in a way that may pass, and gets the prompt again. */
  | { readonly is: "pausing"; readonly agent: Agent; readonly prompt: RunPrompt }
  | { readonly is: "ended"; readonly agent: Agent }
  /** Nothing that the agent says can be stored. */
  | { readonly is: "broken"; readonly error: unknown };

export type AttemptEvent =
  | { readonly type: "hand"; readonly agent: Agent; readonly prompt: RunPrompt }
  | { readonly type: "prompt" }
  | { readonly type: "use-tool" }
  | { readonly type: "pause" }
  | { readonly type: "end" }
  | { readonly type: "break"; readonly error: unknown };

export const PREPARING: AttemptState = { is: "preparing" };

/** The arrows of the diagram. An event that has no arrow from a state leaves the state as it is. */
export function transition(state: AttemptState, event: AttemptEvent): AttemptState {
  if (state.is === "broken") return state;
  switch (event.type) {
    case "hand": {
      const { agent, prompt } = event;
      const isNext = state.is === "preparing" || state.is === "pausing";
      return isNext ? { is: "handing", agent, prompt } : state;
    }
    case "prompt":
      return state.is === "handing" ? { ...state, is: "prompted", hasUsedTools: false } : state;
    case "use-tool":
      return state.is === "prompted" ? { ...state, hasUsedTools: true } : state;
    case "pause":
      return state.is === "prompted"
        ? { is: "pausing", agent: state.agent, prompt: state.prompt }
        : state;
    case "end":
      return state.is === "preparing" ? state : { is: "ended", agent: state.agent };
    case "break":
      return { is: "broken", error: event.error };
    default:
      return event satisfies never;
  }
}
