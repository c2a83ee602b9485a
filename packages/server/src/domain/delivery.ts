import type { RunSettings } from "./settings/agent-settings.ts";
import type { AgentWish } from "./choose-agent.ts";

/** The session's policy for messages: `hold` keeps them in the queue, `reject` refuses them. */
export const DELIVERY_POLICIES = ["open", "hold", "reject"] as const;
export type DeliveryPolicy = (typeof DELIVERY_POLICIES)[number];

/** How a message is delivered if the session is busy. */
export const DELIVERY_MODES = ["queue", "reject", "interrupt", "steer"] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** How much of the conversation the agent must know: as much as possible, all of it, or nothing. */
export const CONTINUITY_POLICIES = ["auto", "required", "off"] as const;
export type ContinuityPolicy = (typeof CONTINUITY_POLICIES)[number];

/**
 * `wanted`: the running agent is to get the message during its run. `given`: it is being given, and whether the agent took
 * it is not known yet. Only a session with a current run has such messages.
 */
export const STEER_STATES = ["wanted", "given"] as const;
export type SteerState = (typeof STEER_STATES)[number];

/**
 * What became of a steered message. `given`: it is about to be given to the agent. `injected`: the agent took it into its run.
 * `queued`: the agent did not get it, and it waits for a run of its own. `unknown`: the agent may have got it; it is not given
 * again.
 */
export type SteerOutcome = "given" | "injected" | "queued" | "unknown";

/** A stored message that no agent has received. Its run has the status `queued`. */
export interface QueueEntry extends AgentWish {
  readonly messageId: string;
  readonly runId: string;
  readonly continuity: ContinuityPolicy;
  /** Absent if the message chooses no mode and no options. */
  readonly settings?: RunSettings;
  /** How often an agent got it before a crash returned it to the queue; 0 for a new message. */
  readonly attempts: number;
  /** Absent unless it is to be given to the running agent. */
  readonly steer?: SteerState;
}
