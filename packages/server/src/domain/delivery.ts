/** The session's policy for messages: `hold` keeps them in the queue, `reject` refuses them. */
export const DELIVERY_POLICIES = ["open", "hold", "reject"] as const;
export type DeliveryPolicy = (typeof DELIVERY_POLICIES)[number];

/** What the sender of one message wants when the session is busy. */
export const DELIVERY_MODES = ["queue", "reject", "interrupt"] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

/** How much memory the agent must have: the best available, the whole or nothing, or none. */
export const CONTINUITY_POLICIES = ["auto", "required", "off"] as const;
export type ContinuityPolicy = (typeof CONTINUITY_POLICIES)[number];

/** A message accepted and stored, not yet given to an agent. Its run exists already, as `queued`. */
export interface QueueEntry {
  readonly messageId: string;
  readonly runId: string;
  readonly provider: string | null;
  readonly model: string | null;
  readonly continuity: ContinuityPolicy;
  /** How often an agent had been given it when a crash put it back here; 0 for a new message. */
  readonly attempts: number;
}
