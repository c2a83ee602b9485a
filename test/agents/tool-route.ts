import type { FakeRequest } from "../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import type { RealAgent } from "./real-agents.ts";
import type { Rig } from "./rig.ts";
import type { SessionDriver, Talk } from "./session-driver.ts";

/** An MCP server and its tools that a model is to call. The first tool proves that the model has them. */
export interface WantedTools {
  readonly server: string;
  readonly tools: readonly [string, ...string[]];
}

export interface Route {
  readonly how: Exclude<RealAgent["tools"], "none">;
  /** The message that makes the model call a tool. */
  call(tool: string, args: object): string;
}

/** Some agents list all tools to the model, others let it search. Null if the model gets no tools. */
export async function findRoute(
  session: SessionDriver,
  rig: Rig,
  { server, tools }: WantedTools,
): Promise<Route | null> {
  const [first] = tools;
  const requests = await waitForTools(session, rig, first);
  const names = requests.flatMap(({ asked }) => asked?.tools.map(({ name }) => name) ?? []);
  const listed = names.find((name) => name.endsWith(first));
  if (listed !== undefined) {
    const prefix = listed.slice(0, -first.length);
    return { how: "listed", call: (tool, args) => toolCommand(`${prefix}${tool}`, args) };
  }
  const search = names.find((name) => /^tool_?search$/iu.test(name));
  if (search === undefined) return null;
  const query = `select:${tools.map((tool) => `mcp__${server}__${tool}`).join(",")}`;
  await session.say(toolCommand(search, { query, max_results: 5 }));
  const caller = names.find((name) => name === "tool_call");
  return {
    how: requests.some((request) => isTold(request, first)) ? "searched" : "unnamed",
    call: (tool, args) => {
      const name = `mcp__${server}__${tool}`;
      return caller === undefined
        ? toolCommand(name, args)
        : toolCommand(caller, { name, arguments: args });
    },
  };
}

/** Some agents start to work before their tool servers have started; the tools then appear with a later prompt. */
const MAX_PROMPTS = 5;

/** Sends messages until the model is told of the tool, and returns the requests to the model. */
async function waitForTools(
  session: SessionDriver,
  { models }: Rig,
  tool: string,
): Promise<readonly FakeRequest[]> {
  const from = models.requests.length;
  for (let prompts = 0; prompts < MAX_PROMPTS; prompts += 1) {
    await session.say("PING");
    if (models.requests.slice(from).some((request) => isTold(request, tool))) break;
  }
  return models.requests.slice(from);
}

function isTold({ body }: FakeRequest, tool: string): boolean {
  return JSON.stringify(body).includes(tool);
}

function toolCommand(name: string, args: object): string {
  return `TOOL ${name} ${JSON.stringify(args)}`;
}

/** Allows everything that the agent asks for until it is idle. */
export async function allowAll(session: Talk): Promise<void> {
  for (;;) {
    const permission = await session.permissionOrIdle();
    if (permission === null) return;
    await session.answer(permission, "allow_once");
  }
}
