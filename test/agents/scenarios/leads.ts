import assert from "node:assert/strict";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession, talkIn } from "../session-driver.ts";
import { allowAll, findRoute } from "../tool-route.ts";

/** The agent leads another one through `/mcp`, with a token that can give work and decide nothing. */
export const leads: Scenario = {
  name: "leads",
  title: "leads another agent through Holdfast's MCP server",
  run: async ({ rig, agent }) => {
    const { token } = await rig.client.tokens.create({ name: "lead", scope: "send" });
    await rig.restartWith({ LEAD_AUTHORIZATION: `Bearer ${token}` });
    const lead = await openSession(rig, agent.name);
    const headersFrom = { Authorization: "LEAD_AUTHORIZATION" };
    await rig.client.sessions.update(lead.id, {
      mcpServers: { sessions: { type: "http", url: `${rig.url}/mcp`, headersFrom } },
    });
    const tools = ["create_session", "wait", "answer"] as const;
    const route = await findRoute(lead, rig, { server: "sessions", tools: [...tools] });
    if (route === null) {
      await lead.remove();
      await rig.noAgents();
      throw new Unsupported("its model gets no tools of it");
    }
    const { repoId } = await rig.client.sessions.get(lead.id, { tail: 1 });
    const led = `led-by-${agent.name}`;
    const work = { agent_id: led, repository: repoId, agent: "demo", message: "Hello" };
    await lead.send(route.call("create_session", work));
    await allowAll(lead);
    const { id } = await rig.client.sessions.get(led, { tail: 1 });
    const answered = await talkIn(rig, id).idle();
    assert.equal(answered.messages.filter(({ role }) => role === "user").length, 1);
    const before = rig.models.requests.length;
    await lead.send(route.call("wait", { session: led }));
    await allowAll(lead);
    const told = JSON.stringify(rig.models.requests.slice(before).map(({ body }) => body));
    assert.match(told, /demo agent/u, "the model is told what the other agent said");
    await rig.client.sessions.delete(id);
    await lead.remove();
    return route.how;
  },
};
