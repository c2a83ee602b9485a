/** Acts as a server: starts an agent in a sandbox, or in a containment without one, runs a command in it, reports that, and waits to be killed. */
import { openSandbox } from "../sandbox.ts";
import { CONTAINMENTS } from "../../containment/containment.ts";
import { createAcpProvider } from "../../acp/acp-provider.ts";
import { say, script, shell, silent } from "../../testing/script.ts";
import { scriptedDefinition } from "../../testing/scripted-provider.ts";

const [repo = "", data = "", owner = "", containment] = process.argv.slice(2);
const { HELD_COMMAND: command = "" } = process.env;
const sandbox = await openSandbox({
  mode: containment === undefined ? "required" : "off",
  environment: process.env,
  dataFolder: data,
  containments: CONTAINMENTS.filter((kind) => kind === containment),
});
const provider = createAcpProvider({
  definition: scriptedDefinition(),
  owner,
  environment: process.env,
  journalFolder: null,
  clientVersion: "0.0.0",
  sandbox,
});
const agent = await provider.startAgent({
  sessionId: "session-1",
  workspace: { path: repo, descriptor: null },
  model: null,
  resume: null,
  signal: new AbortController().signal,
  onReport: ({ report }) => {
    if (report === "text") process.stdout.write(`${agent.pid}\n`);
    return undefined;
  },
});
const text = script(shell(command), say("on"), silent());
await agent.prompt({ parts: [{ type: "text", text }], model: null });
