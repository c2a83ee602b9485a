import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { say, script } from "../../../packages/server/src/providers/testing/script.ts";
import { DOORS, openMcpWorld, type McpWorld, type Orchestrator } from "./mcp-world.ts";

let world: McpWorld;

beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(async () => {
  await world.end();
});

const newSession = async (from: Orchestrator, more: object = {}): Promise<string> =>
  String((await from.data("create_session", { ...more }))["id"]);
const transcript = (id: string): string => `holdfast://sessions/${id}/transcript`;

async function read({ client }: Orchestrator, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return contents.map((part) => ("text" in part ? part.text : "")).join("");
}

describe.each(["HTTP 2025", "HTTP 2026"] as const)("a token for one session over %s", (door) => {
  it("hears of its own session only (D6)", async () => {
    const { repos } = await world.client().repos.list();
    const repoId = repos[0]?.id ?? null;
    const { id } = await world.client().sessions.create({ repoId });
    const { id: other } = await world.client().sessions.create({ repoId });
    const from = await world.open(door, { token: await world.token("read", id) });
    const changed: string[] = [];
    from.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      changed.push(params.uri);
    });
    const uris = [transcript(id), transcript(other)];
    if (door.endsWith("2026")) await from.client.listen({ resourceSubscriptions: uris });
    else for (const uri of uris) await from.client.subscribeResource({ uri });
    await expect
      .poll(async () => {
        await world.client().sessions.send(other, { text: script(say("secret")) });
        await world.client().sessions.send(id, { text: script(say("own")) });
        return changed.length;
      })
      .toBeGreaterThan(1);
    expect(new Set(changed)).toEqual(new Set([transcript(id)]));
  });
});

describe.each(DOORS)("the resources of a client over %s", (door) => {
  let from: Orchestrator;
  beforeAll(async () => {
    from = await world.open(door);
  });

  it("are the sessions as data and as transcripts (D6)", async () => {
    const session = await newSession(from, { title: "A title", message: script(say("Hello.")) });
    await from.data("wait", { session });
    const { resourceTemplates } = await from.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "holdfast://sessions/{id}",
      "holdfast://sessions/{id}/transcript",
    ]);
    const { resources } = await from.client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain(transcript(session));
    const text = await read(from, transcript(session));
    expect(text).toMatch(/^# A title\n\nSession .*\n\n## User, .*\n\n## Agent, .*\n\nHello\.\n$/su);
    expect(JSON.parse(await read(from, `holdfast://sessions/${session}`))).toMatchObject({
      id: session,
      title: "A title",
      state: "idle",
    });
  });

  it("come in pages, the latest first (D6)", async () => {
    const created: string[] = [];
    for (let number = 0; number < 60; number += 1)
      created.unshift((await world.client().sessions.create({})).id);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await from.client.request({
        method: "resources/list",
        params: { ...(cursor !== undefined && { cursor }) },
      });
      seen.push(...page.resources.map(({ uri }) => uri));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    const own = new Set(created.map(transcript));
    expect(seen.filter((uri) => own.has(uri))).toEqual([...own]);
  });

  it("that do not exist are not found (D6)", async () => {
    for (const uri of [transcript("none"), "holdfast://sessions/", "holdfast://x/1", "file:///etc"])
      await expect(from.client.readResource({ uri })).rejects.toThrow(/not found/iu);
  });

  it("tell who listens that there is a new one (D6)", async () => {
    let changes = 0;
    from.client.setNotificationHandler("notifications/resources/list_changed", () => {
      changes += 1;
    });
    if (door.endsWith("2026")) await from.client.listen({ resourcesListChanged: true });
    else await from.client.listResources();
    await expect
      .poll(async () => {
        await world.client().sessions.create({});
        return changes;
      })
      .toBeGreaterThan(0);
  });

  it("tell who listens to them that they changed, and nobody else (D6)", async () => {
    const session = await newSession(from);
    const other = await newSession(from);
    const changed: string[] = [];
    from.client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      changed.push(params.uri);
    });
    if (door.endsWith("2026"))
      await from.client.listen({ resourceSubscriptions: [transcript(session)] });
    else await from.client.subscribeResource({ uri: transcript(session) });
    const text = script(say("News."));
    await expect
      .poll(async () => {
        await from.call("send_message", { session: other, text });
        await from.call("send_message", { session, text });
        return changed;
      })
      .toContain(transcript(session));
    expect(new Set(changed)).toEqual(new Set([transcript(session)]));
  });
});
