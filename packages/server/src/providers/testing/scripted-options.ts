import type { Step } from "./script.ts";

/** How the scripted agent is made; given to it as JSON in the variable `SCRIPTED_AGENT`. */
export interface ScriptedOptions {
  /** Where it keeps its sessions and counts, so that a later process can take them up; null forgets. */
  readonly folder?: string | null;
  /** Every message it receives, SIGTERM and the end of its input are appended to this file, one JSON text a line. */
  readonly log?: string | null;
  readonly capabilities?: {
    readonly load?: boolean;
    readonly resume?: boolean;
    readonly close?: boolean;
    readonly image?: boolean;
    readonly embeddedContext?: boolean;
  };
  /** How a session is taken up again; `error`: refused although advertised. `hangs`: never answered. `exits`: it dies of it. */
  readonly load?: "works" | "error" | "hangs" | "exits";
  readonly resume?: "works" | "error" | "hangs" | "exits";
  /** A load is answered so long before the last of its replay arrives. */
  readonly lateReplayMs?: number;
  readonly modes?: readonly string[];
  /** Where the modes are offered. */
  readonly modesAs?: "config" | "modes";
  readonly models?: readonly string[];
  /** `legacy`: the older `models` field and `session/set_model`. */
  readonly modelsAs?: "config" | "legacy";
  /** Sessions are refused with -32000 until `authenticate` was called with `accepts`. */
  readonly auth?: { readonly methods: readonly unknown[]; readonly accepts: string | null };
  /** Which protocol version it answers with; 1 unless told. */
  readonly protocolVersion?: unknown;
  /** What is done outside of prompts. Steps that need a session use the one that is being made. */
  readonly at?: {
    /** Before anything is read. */
    readonly start?: readonly Step[];
    /** Before and after the answer to `initialize`. */
    readonly initialize?: readonly Step[];
    readonly initialized?: readonly Step[];
    /** Before and after the answer to `session/new`, `session/load` or `session/resume`; a new one can fail. */
    readonly session?: readonly Step[];
    readonly sessionReady?: readonly Step[];
    /** After the answer to a prompt. */
    readonly prompted?: readonly Step[];
    /** Before the answer to `session/close`. */
    readonly close?: readonly Step[];
    readonly cancel?: readonly Step[];
  };
  /**
   * Told to go on with the work, it does the steps of its earlier prompt again, as a model does that believes the
   * client. One whose earlier prompt has the word STUBBORN believes its own history instead, which says that the user
   * refused, and ends its turn.
   */
  readonly goesOn?: boolean;
  /** For a prompt without steps; an echo unless told. */
  readonly otherwise?: readonly Step[];
}

export const SCRIPTED_VARIABLE = "SCRIPTED_AGENT";
