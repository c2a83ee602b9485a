import type { Step } from "./script.ts";

/** The options of the scripted agent, as JSON in the variable `SCRIPTED_AGENT`. */
export interface ScriptedOptions {
  /** The folder of its sessions and counts, for later processes; null: in memory only. */
  readonly folder?: string | null;
  /** Every message it receives, SIGTERM and the end of its input are appended to this file, one JSON text a line. */
  readonly log?: string | null;
  /** The ID of its sessions; default: a random one. */
  readonly sessionId?: string;
  readonly capabilities?: {
    readonly load?: boolean;
    readonly resume?: boolean;
    readonly close?: boolean;
    readonly fork?: boolean;
    readonly delete?: boolean;
    readonly image?: boolean;
    readonly embeddedContext?: boolean;
    /** It takes messages while it works on a prompt: see scripted-steering.ts. */
    readonly steering?: boolean;
    readonly mcpHttp?: boolean;
    readonly mcpSse?: boolean;
    readonly additionalDirectories?: boolean;
  };
  /** How it reopens a session. `error`: refuses although it is advertised. `hangs`: never replies. `exits`: exits. */
  readonly load?: "works" | "error" | "hangs" | "exits";
  readonly resume?: "works" | "error" | "hangs" | "exits";
  /** How it copies a session. `same`: replies with the ID of the original. */
  readonly fork?: "works" | "error" | "hangs" | "exits" | "same";
  /** The reply to a load comes this long before the end of its replay. */
  readonly lateReplayMs?: number;
  readonly modes?: readonly string[];
  /** How it offers modes. */
  readonly modesAs?: "config" | "modes";
  readonly models?: readonly string[];
  /** `legacy`: the older `models` field and `session/set_model`. */
  readonly modelsAs?: "config" | "legacy";
  readonly auth?: ScriptedAuth;
  /** Further options; a boolean one has no choices. `onlyWith`: it exists only with this model. */
  readonly configs?: readonly {
    readonly id: string;
    readonly value: string | boolean;
    readonly choices?: readonly string[];
    readonly category?: string;
    readonly onlyWith?: string;
  }[];
  /** The protocol version in its reply; default: 1. */
  readonly protocolVersion?: unknown;
  /** It speaks version 2 of the protocol, or refuses it with the versions that it supports. */
  readonly secondVersion?: "speaks" | "refuses";
  /** Steps outside prompts. Steps that need a session use the one that is being created. */
  readonly at?: {
    /** Before it reads its input. */
    readonly start?: readonly Step[];
    /** Before and after the reply to `initialize`. */
    readonly initialize?: readonly Step[];
    readonly initialized?: readonly Step[];
    /** Before and after the reply to `session/new`, `session/load` or `session/resume`; `session/new` can fail. */
    readonly session?: readonly Step[];
    readonly sessionReady?: readonly Step[];
    /** After the reply to a prompt. */
    readonly prompted?: readonly Step[];
    /** Before the reply to `session/close`. */
    readonly close?: readonly Step[];
    readonly cancel?: readonly Step[];
  };
  /**
   * When it is asked to continue, it repeats the steps of its earlier prompt, like a model that believes the client.
   * If the earlier prompt contains the word STUBBORN, it believes its own history, which says that the user refused,
   * and ends its turn.
   */
  readonly goesOn?: boolean;
  /** Steps for a prompt without steps; default: an echo. */
  readonly otherwise?: readonly Step[];
}

/** It refuses sessions with -32000 until `authenticate` is called with `accepts`, or the file exists. */
export interface ScriptedAuth {
  readonly methods: readonly unknown[];
  readonly accepts: string | null;
  /** Stands for stored credentials: a login creates it, a logout removes it. */
  readonly file?: string;
  /** It accepts sessions, and refuses prompts instead. */
  readonly atPrompt?: boolean;
  /** A login names this page. `waits`: it is over when the file exists. */
  readonly page?: { readonly url: string; readonly message: string; readonly waits?: boolean };
  /** Its login at a terminal prints this. */
  readonly prints?: string;
  /** It sends `_auth/status_update`. */
  readonly reportsStatus?: boolean;
}

export const SCRIPTED_VARIABLE = "SCRIPTED_AGENT";
