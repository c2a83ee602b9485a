import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession } from "../session-driver.ts";
import { allowAll, findRoute } from "../tool-route.ts";

/** The user's own MCP server. It appends each call to a file in the folder in which it was started. */
const PROGRAM = `
const { appendFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const echo = {
  name: "keep_word",
  description: "Keeps a word.",
  inputSchema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
};
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "own", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [echo] }),
  "tools/call": ({ arguments: { word } }) => {
    appendFileSync(process.argv[1], word + "\\n");
    return { content: [{ type: "text", text: "kept " + word }] };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params) ?? {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

export const ownMcp: Scenario = {
  name: "own-mcp",
  title: "calls the user's own MCP server",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("words.txt");
    await rig.client.sessions.update(session.id, {
      mcpServers: { own: { command: process.execPath, args: ["-e", PROGRAM, file] } },
    });
    const route = await findRoute(session, rig, { server: "own", tools: ["keep_word"] });
    if (route === null) {
      await session.remove();
      await rig.noAgents();
      throw new Unsupported("it does not start it");
    }
    await session.send(route.call("keep_word", { word: "heron" }));
    await allowAll(session);
    assert.equal(
      existsSync(file) ? readFileSync(file, "utf8") : "",
      "heron\n",
      path.basename(file),
    );
    await session.remove();
    return route.how;
  },
};
