import type { InstalledAgent } from "./install-agent.ts";
import type { Rig } from "./rig.ts";

/** Something that must go well with every agent. */
export interface Scenario {
  readonly name: string;
  /** What it shows, as a heading says it. */
  readonly title: string;
  /** Throws when it did not go well. What it returns is worth a word in the table. */
  run(place: ScenarioPlace): Promise<string>;
}

export interface ScenarioPlace {
  readonly rig: Rig;
  readonly agent: InstalledAgent;
}
