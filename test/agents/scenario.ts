import type { InstalledAgent } from "./install-agent.ts";
import type { Rig } from "./rig.ts";

/** A test that every agent must pass. */
export interface Scenario {
  readonly name: string;
  /** Column heading in the report. */
  readonly title: string;
  /** Throws on failure. Returns a note for the table, or an empty string. */
  run(context: ScenarioContext): Promise<string>;
}

export interface ScenarioContext {
  readonly rig: Rig;
  readonly agent: InstalledAgent;
}
