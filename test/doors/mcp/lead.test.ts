import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, mcp, say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { SCRIPTED_VARIABLE } from "../../../packages/server/src/providers/testing/scripted-options.ts";
import { scriptedCommand } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import { openMcpWorld, type McpWorld } from "./mcp-world.ts";

let world: McpWorld;

beforeAll(async () => {
  world = await openMcpWorld({
    mcpVariables: ["LEAD_AUTHORIZATION"],
    providers: {
      scripted: {
        type: "acp",
        command: scriptedCommand,
        env: { [SCRIPTED_VARIABLE]: JSON.stringify({ capabilities: { mcpHttp: true } }) },
      },
      second: { type: "acp", command: scriptedCommand },
    },
  });
});
afterAll(async () => {
  await world.end();
});

/** The example of docs/orchestrators.md with scripted agents: one leads two others, and a person decides. */
describe("an agent that leads two others", () => {
  it("gives them work, waits while a person decides, and reports; its token decides nothing (D6)", async () => {
    const { client } = world;
    const LEAD_AUTHORIZATION = `Bearer ${await world.token("send")}`;
    await world.kill();
    await world.start({ LEAD_AUTHORIZATION });
    const { repos } = await client().repos.list();
    const url = `${world.server().url}/mcp`;
    const headersFrom = { Authorization: "LEAD_AUTHORIZATION" };
    const lead = await client().sessions.create({
      repoId: repos[0]?.id ?? null,
      title: "Lead",
      mcpServers: { sessions: { type: "http", url, headersFrom } },
    });
    const writing = script(
      ask({ id: "t1", title: "Write greeting.txt" }),
      say("The file is written."),
    );
    const reviewing = script(say("The text is friendly."));
    const onSessions = (tool: string, args: object) => mcp(tool, args, "sessions");
    await client().sessions.send(lead.id, {
      text: script(
        onSessions("create_session", { agent_id: "writer", agent: "scripted", message: writing }),
        // The leader tries to decide for the person. Its token does not let it.
        onSessions("answer", { session: "writer", answer: "allow" }),
        onSessions("wait", { session: "writer" }),
        onSessions("create_session", { agent_id: "reviewer", agent: "second", message: reviewing }),
        onSessions("wait", { session: "reviewer" }),
        say("Both are done."),
      ),
    });
    const question = async () =>
      (await client().suspensions()).suspensions.find(({ request }) =>
        String(request["title"]).includes("greeting.txt"),
      );
    await expect.poll(question).toBeDefined();
    const { id: suspensionId = "", sessionId = "" } = (await question()) ?? {};
    const said = async () => {
      const { messages } = await client().sessions.get(lead.id);
      return messages
        .filter(({ role }) => role === "agent")
        .map(({ content }) => content["text"])
        .join("\n");
    };
    await expect.poll(said).toContain("The tool answer needs a token with the scope approve");
    expect(await said()).not.toContain("The file is written.");
    await client().sessions.answer(sessionId, { suspensionId, answer: "allow" });
    await expect.poll(said).toContain("Both are done.");
    const report = await said();
    expect(report).toContain("The file is written.");
    expect(report).toContain("The text is friendly.");
    expect((await client().sessions.get("writer")).id).toBe(sessionId);
    const { runs } = await client().sessions.runs("writer");
    expect(runs[0]?.suspensions[0]?.answeredBy).toBe("server token");
    const { runs: reviews } = await client().sessions.runs("reviewer");
    expect(reviews[0]?.provider).toBe("second");
  });
});
