import { prompts } from "./prompts.ts";
import { sessionResources } from "./resources/session-resources.ts";
import type { Surface } from "./surface.ts";
import { sessionTools } from "./tools/session-tools.ts";
import { workTools } from "./tools/work-tools.ts";

const INSTRUCTIONS =
  "Holdfast keeps conversations with coding agents alive. A session is a durable conversation; a run is one agent at work on " +
  "one message. create_session and send_message give work, wait returns the answer, and read_history tells what was said. " +
  "Agents work on when you stop waiting or the server restarts. Questions of agents are for people: report them, and answer " +
  "only as a person decided.";

export const holdfastSurface: Surface = {
  instructions: INSTRUCTIONS,
  tools: [...sessionTools, ...workTools],
  resources: sessionResources,
  prompts,
};
