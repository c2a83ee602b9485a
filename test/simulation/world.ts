import type { SessionEvent } from "../../packages/server/src/domain/kernel/event.ts";
import type { MessageContent } from "../../packages/server/src/domain/message.ts";
import { StorageFault } from "../../packages/server/src/storage/fault.ts";
import type { Random } from "../security/fuzz/random.ts";
import type { Plant } from "./plants.ts";
import type { SimAgent } from "./sim-agent.ts";
import type { Timeline } from "./timeline.ts";

/** What the agents saw, which no node can change. */
export interface PromptRecord {
  readonly sessionId: string;
  /** The message in the prompt; null if it has only answers. */
  readonly tag: string | null;
  readonly agent: number;
  /** Other live agents of the session whose node could have ended them. */
  readonly others: readonly string[];
  /** Everything the agent said in reply, in order. */
  said: string;
  /** The prompt ended by itself. */
  isComplete: boolean;
}

/** One permission that an agent asked for. */
export interface AskedRecord {
  readonly sessionId: string;
  readonly requestId: string;
  /** What the agent was told, each time it was told something. */
  readonly told: string[];
}

/** One change of a session as the database carried it out. */
export interface CommitRecord {
  readonly at: number;
  readonly sessionId: string;
  /** Of the session afterwards; null if it was deleted. */
  readonly version: number | null;
  readonly events: readonly SessionEvent[];
  /** The contents of new messages by their ID. */
  readonly contents: Readonly<Record<string, MessageContent>>;
}

export interface RequestRecord {
  readonly kind: "send" | "cancel" | "archive" | "delete" | "answer" | "withdraw" | "resume";
  readonly sessionId: string;
  /** The tag of a message, or the text of an answer. */
  readonly tag: string | null;
  /** The ID of the message or question that the request is about, if it is about one. */
  readonly target: string | null;
  readonly delivery: "queue" | "interrupt" | "steer" | null;
  readonly firstAt: number;
  readonly endedAt: number;
  readonly outcome:
    | { readonly ok: true; readonly messageId: string | null }
    | { readonly ok: false; readonly why: string };
}

/** A write that is on its way to the database for longer than a lease. */
export interface HangingWrite {
  readonly sessionId: string;
  /** Once. */
  arrive(): void;
}

/** Everything that nodes, agents and clients of one simulation share. */
export interface World {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly plant: Plant | null;
  readonly isShared: boolean;
  /** While it is off, agents and database behave, and nothing fails. */
  hasFaults: boolean;
  readonly agents: SimAgent[];
  readonly prompts: PromptRecord[];
  /** Whether agents take messages while they work, and clients send such messages. */
  readonly steers: boolean;
  /** The messages that agents took during their work. */
  readonly steered: { readonly sessionId: string; readonly tag: string }[];
  readonly asked: AskedRecord[];
  readonly requests: RequestRecord[];
  readonly hanging: Set<HangingWrite>;
  /** Writes of old owners that were stored. */
  readonly oldOwners: { readonly sessionId: string; readonly detail: string }[];
  readonly commits: CommitRecord[];
  /** Counters of what happened, so that a test can see that it did. */
  readonly counts: Map<string, number>;
}

export function count(world: World, what: string): void {
  world.counts.set(what, (world.counts.get(what) ?? 0) + 1);
}

/** Mostly short, sometimes long: the time of a reply decides what overtakes what. */
export function latencyMs({ random, hasFaults }: World): number {
  const chance = random.next();
  if (chance < 0.6 || !hasFaults) return random.below(3);
  if (chance < 0.95) return random.below(40);
  return random.below(1_500);
}

export function unavailable(): StorageFault {
  return new StorageFault("database_unavailable", "The connection broke.");
}
