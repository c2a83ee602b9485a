import type { OfferedOption } from "../../domain/settings/agent-offer.ts";
import type { SettingsChange } from "../../domain/settings/agent-settings.ts";

/** What the next agent of a session offers, with the values that it gets. */
export interface SessionOptions {
  readonly provider: string;
  readonly options: readonly OfferedOption[];
}

/** A change of the settings of the session's next agent. */
export type WantedChange = Omit<SettingsChange, "provider">;
