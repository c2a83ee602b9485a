import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession } from "../session-driver.ts";
import { findRoute } from "../tool-route.ts";

const QUESTION = "Which word should be kept?";
const GIVEN = { word: "Heron-417", sure: true };

/** The user's own MCP server. Its tool asks the person, and writes what it is told to a file. */
const PROGRAM = `
const { appendFileSync } = require("node:fs");
const { createInterface } = require("node:readline");
const file = process.argv[1];
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const note = (what) => appendFileSync(file, JSON.stringify(what) + "\\n");
const tool = { name: "ask_word", description: "Asks for a word.", inputSchema: { type: "object", properties: {} } };
const requestedSchema = {
  type: "object",
  properties: { word: { type: "string", title: "Word" }, sure: { type: "boolean" } },
  required: ["word"],
};
let call = null;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined && id === "ask-1") {
    note({ answer: result ?? null, error: error ?? null });
    return send({ id: call, result: { content: [{ type: "text", text: "told " + JSON.stringify(result ?? error) }] } });
  }
  if (id === undefined || method === undefined) return;
  if (method === "initialize") {
    note({ elicitation: params.capabilities?.elicitation ?? null });
    return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "own", version: "1.0.0" } } });
  }
  if (method === "tools/call") {
    call = id;
    return send({ id: "ask-1", method: "elicitation/create", params: { message: ${JSON.stringify(QUESTION)}, requestedSchema } });
  }
  send({ id, result: method === "tools/list" ? { tools: [tool] } : {} });
});
`;

export const mcpElicitation: Scenario = {
  name: "mcp-elicitation",
  title: "passes on a question of the user's own MCP server",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    const file = session.fileNamed("told.jsonl");
    const told = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await rig.client.sessions.update(session.id, {
      mcpServers: { own: { command: process.execPath, args: ["-e", PROGRAM, file] } },
    });
    const route = await findRoute(session, rig, { server: "own", tools: ["ask_word"] });
    if (route === null) {
      await session.remove();
      await rig.noAgents();
      throw new Unsupported("it does not start the server");
    }
    await session.send(route.call("ask_word", {}));
    for (;;) {
      const { suspension } = await session.until(
        "a question or the end of the run",
        (now) => now.suspension !== null || now.state === "idle",
      );
      if (suspension === null) break;
      const isQuestion =
        suspension.kind === "elicitation" && JSON.stringify(suspension.request).includes(QUESTION);
      const answer = isQuestion
        ? { action: "accept", content: GIVEN }
        : suspension.kind === "permission"
          ? "allow_once"
          : { action: "accept", content: {} };
      await rig.client.sessions.answer(session.id, { suspensionId: suspension.id, answer });
      await session.until("the end of the question", (now) => now.suspension?.id !== suspension.id);
    }
    const lines = told();
    await session.remove();
    const answered = lines.split("\n").find((line) => line.includes('"answer"'));
    if (answered === undefined) throw new Error(`the tool was not called: ${lines}`);
    if (/"elicitation":null/u.test(lines) || !answered.includes('"error":null'))
      throw new Unsupported(`it does not pass questions of MCP servers on: ${answered}`);
    const { answer } = JSON.parse(answered);
    assert.deepEqual([answer.action, answer.content], ["accept", GIVEN], answered);
    return "";
  },
};
