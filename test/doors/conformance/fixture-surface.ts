import type { Surface } from "../../../packages/server/src/doors/mcp/surface.ts";
import { contentTools } from "./content-tools.ts";
import { dialogTools } from "./dialog-tools.ts";
import type { FixtureWork } from "./fixture-work.ts";
import { inputTools, readState } from "./input-tools.ts";
import { fixturePrompts } from "./fixture-prompts.ts";
import { fixtureResources } from "./fixture-resources.ts";
import { taskTools } from "./task-tools.ts";

export function fixtureSurface(work: FixtureWork): Surface {
  return {
    instructions: "Everything that the conformance suite asks for by name.",
    tools: [...contentTools, ...dialogTools, ...inputTools, ...taskTools(work)],
    resources: fixtureResources,
    prompts: fixturePrompts,
    readState,
  };
}
