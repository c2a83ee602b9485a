import type { AnswerStore } from "./ports/answer-store.ts";
import type { BrowserStore } from "./ports/browser-store.ts";
import type { ImportStore } from "./ports/import-store.ts";
import type { NodeStore } from "./ports/node-store.ts";
import type { OfferStore } from "./ports/offer-store.ts";
import type { QuarantineStore } from "./ports/quarantine-store.ts";
import type { RepositoryStore } from "./ports/repository-store.ts";
import type { RetentionStore } from "./ports/retention-store.ts";
import type { RunStore } from "./ports/run-store.ts";
import type { SessionCounts, SessionStore } from "./ports/session-store.ts";
import type { StatsStore } from "./ports/stats-store.ts";
import type { TokenStore } from "./ports/token-store.ts";
import type { TranscriptStore } from "./ports/transcript-store.ts";

export type * from "./ports/answer-store.ts";
export type * from "./ports/browser-store.ts";
export type * from "./ports/import-store.ts";
export type * from "./ports/node-store.ts";
export type * from "./ports/offer-store.ts";
export type * from "./ports/quarantine-store.ts";
export type * from "./ports/repository-store.ts";
export type * from "./ports/retention-store.ts";
export type * from "./ports/run-store.ts";
export type * from "./ports/session-store.ts";
export type * from "./ports/stats-store.ts";
export type * from "./ports/token-store.ts";
export type * from "./ports/transcript-store.ts";

/**
 * Everything Holdfast stores. SQLite and PostgreSQL implement it and pass the same contract suite.
 *
 * A promise resolves when the result is on disk; `durable` writes survive a power failure. An expected refusal is a
 * value. A `StorageFault` means that the database failed and stored nothing of the call.
 */
export interface Store
  extends
    SessionStore,
    TranscriptStore,
    RunStore,
    ImportStore,
    NodeStore,
    RepositoryStore,
    TokenStore,
    BrowserStore,
    OfferStore,
    AnswerStore,
    RetentionStore,
    StatsStore,
    QuarantineStore {
  /** The name of the database, for reports. */
  readonly engine: "sqlite" | "postgres";
  /** Nodes on other machines may use the same database. */
  readonly isShared: boolean;
  /** When the database was last migrated. */
  readonly migratedAt: number;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
}

export interface StoreHealth {
  readonly schema: string;
  /** Number of quarantined rows. */
  readonly setAside: number;
  readonly counts: SessionCounts;
}
