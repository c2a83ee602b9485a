import { nodeSchema, nodesReplySchema } from "@holdfast/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { TestRuntime } from "../../runtime/testing/test-runtime.ts";
import { buildApp } from "../build-app.ts";
import { type App } from "../app.ts";
import { nodeView, refusal } from "../testing/samples.ts";
import { listen, testApp } from "../testing/test-app.ts";

const WIRE_NODE = {
  id: "n1",
  name: "one",
  version: "1.2.3",
  labels: ["gpu"],
  capacity: 5,
  busy: 1,
  alive: true,
  draining: false,
  drained: false,
  startedAt: "2026-01-31T12:00:00.000Z",
  self: true,
};

describe("nodes over HTTP", () => {
  it("are listed, the one that answers first", async () => {
    const nodes = [
      nodeView(),
      nodeView({ node: "n2", name: "two", draining: true, letsGo: true, busy: 0 }),
      nodeView({ node: "n3", name: "three", draining: true, busy: 0, alive: false }),
    ];
    const app = await testApp({ runtime: { listNodes: async () => nodes } });
    const reply = await app.inject("/api/nodes");
    expect(nodesReplySchema.strict().parse(reply.json())).toEqual({
      nodes: [
        WIRE_NODE,
        {
          ...WIRE_NODE,
          id: "n2",
          name: "two",
          busy: 0,
          draining: true,
          drained: true,
          self: false,
        },
        {
          ...WIRE_NODE,
          id: "n3",
          name: "three",
          busy: 0,
          draining: true,
          alive: false,
          self: false,
        },
      ],
    });
  });

  it("are drained by ID or name, and get work again", async () => {
    const requests: unknown[] = [];
    const app = await testApp({
      runtime: {
        listNodes: async () => [nodeView()],
        drainNode: async (request) => {
          requests.push(request);
          return {
            ok: true,
            node: nodeView({ node: request.name, draining: request.draining, letsGo: true }),
          };
        },
      },
    });
    const drain = async (id: string, payload?: object) => {
      const url = `/api/nodes/${id}/drain`;
      const reply = await app.inject({
        method: "POST",
        url,
        ...(payload !== undefined && { payload }),
      });
      return [reply.statusCode, nodeSchema.strict().parse(reply.json())];
    };
    const draining = { ...WIRE_NODE, draining: true };
    expect(await drain("n1")).toEqual([200, draining]);
    expect(await drain("n1", {})).toEqual([200, draining]);
    expect(await drain("n2", { draining: true })).toEqual([
      200,
      { ...draining, id: "n2", self: false },
    ]);
    expect(await drain("n1", { draining: false })).toEqual([200, WIRE_NODE]);
    expect(requests).toEqual([
      { name: "n1", draining: true },
      { name: "n1", draining: true },
      { name: "n2", draining: true },
      { name: "n1", draining: false },
    ]);
  });

  it.each([
    ["node_not_found", 404],
    ["node_ambiguous", 409],
  ] as const)("are refused with %s as a %i", async (code, status) => {
    const app = await testApp({ runtime: { drainNode: async () => refusal({ code }) } });
    const reply = await app.inject({ method: "POST", url: "/api/nodes/n1/drain" });
    expect([reply.statusCode, reply.json().code]).toEqual([status, code]);
  });

  it("are not drained by an invalid request", async () => {
    const app = await testApp();
    for (const payload of [{ draining: "yes" }, { drain: true }, []]) {
      const reply = await app.inject({ method: "POST", url: "/api/nodes/n1/drain", payload });
      expect([payload, reply.statusCode]).toEqual([payload, 400]);
    }
  });
});

describe("the only node, on SQLite", () => {
  let test: TestRuntime;
  let app: App;
  afterEach(async () => {
    await app.close();
    await test.close();
  });

  it("is listed alone, even right after a crash, and can be drained and undrained", async () => {
    test = await TestRuntime.open({ member: { name: "here", labels: ["gpu"] } });
    await test.restartAfterCrash();
    app = await buildApp({
      runtime: test.runtime,
      version: "1.2.3",
      startedAt: new Date(),
      token: null,
      webFolder: null,
    });
    const url = `http://127.0.0.1:${await listen(app)}/api/nodes`;
    const list = async () => nodesReplySchema.strict().parse(await (await fetch(url)).json()).nodes;
    const node = {
      id: test.node,
      name: "here",
      version: "",
      labels: ["gpu"],
      capacity: 5,
      busy: 0,
      alive: true,
      draining: false,
      drained: false,
      startedAt: expect.any(String),
      self: true,
    };
    expect(await list()).toEqual([node]);
    const post = async (id: string, body: object) =>
      fetch(`${url}/${id}/drain`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    expect(await (await post("here", {})).json()).toMatchObject({ draining: true });
    await expect.poll(list).toEqual([{ ...node, draining: true, drained: true }]);
    expect(await (await post(test.node, { draining: false })).json()).toEqual(node);
    await expect.poll(list).toEqual([node]);
    const unknown = await post("elsewhere", {});
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      expect.objectContaining({ code: "node_not_found" }),
    ]);
  });
});
