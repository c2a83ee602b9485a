import type { JsonObject } from "../domain/json.ts";
import type { OfferedCommand, OfferedOption } from "../domain/settings/agent-offer.ts";
import type { LoginMethod, LoginStatus } from "./login.ts";

export interface ProviderDescription {
  readonly name: string;
  readonly title: string;
  readonly installed: boolean;
  /** The command that starts an agent. */
  readonly command: readonly string[];
  /** A command that installs it; null if unknown. */
  readonly install: string | null;
  /** A sentence that says how to log in to it; null if it needs no login, or if that is unknown. */
  readonly login: string | null;
  /** As the latest agent reported it. */
  readonly loginStatus: LoginStatus;
  /** The ways to log in that the latest agent offered. */
  readonly loginMethods: readonly LoginMethod[];
  /** Whether the latest agent can log out. */
  readonly canLogOut: boolean;
  /** The version of the installed program; null if reading it would mean to start the program. */
  readonly version: string | null;
  /** From the configuration and from the latest agent. */
  readonly models: readonly Choice[];
  readonly modes: readonly Choice[];
  /** All that the latest agent lets a client choose, with its own defaults; absent before the first one. */
  readonly options?: readonly OfferedOption[];
  /** Slash commands of the latest agent. */
  readonly commands: readonly AgentCommand[];
  /** The capabilities of the latest agent; null before the first one. */
  readonly capabilities: JsonObject | null;
}

export type AgentCommand = OfferedCommand;

export interface Choice {
  readonly id: string;
  readonly name: string;
}
