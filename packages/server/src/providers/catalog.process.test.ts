import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { define } from "./built-in.ts";
import { createCatalog, type Catalog } from "./catalog.ts";
import { demoDefinition } from "./demo/demo-definition.ts";
import { AgentFault, type Agent, type AgentReport } from "./provider.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "holdfast-catalog-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the catalog", () => {
  it("lists the demo first, which is the default provider", () => {
    expect(
      catalog()
        .all()
        .map(({ name }) => name),
    ).toEqual(["demo", "missing"]);
    expect(catalog().defaultName).toBe("demo");
    expect(catalog("missing").defaultName).toBe("missing");
    expect(catalog().get("missing")?.name).toBe("missing");
    expect(catalog().get("nobody")).toBeNull();
  });

  it("contains the command that installs a missing agent", async () => {
    const missing = catalog().get("missing");
    expect(await missing?.describe()).toMatchObject({
      installed: false,
      command: ["no-such-program", "--acp"],
      install: "npm install -g no-such-program",
      login: null,
      version: null,
    });
    await expect(start(missing?.startAgent.bind(missing))).rejects.toThrow(
      /npm install -g no-such-program/u,
    );
    await expect(start(missing?.startAgent.bind(missing))).rejects.toBeInstanceOf(AgentFault);
  });

  it("contains a demo that is always installed and answers", async () => {
    const demo = catalog().get("demo");
    expect(await demo?.describe()).toMatchObject({
      title: "Demo agent",
      installed: true,
      models: [{ id: "demo-fast" }, { id: "demo-thoughtful" }],
    });
    const reports: AgentReport[] = [];
    const agent = await start(demo?.startAgent.bind(demo), (report) => reports.push(report));
    const end = await agent.prompt({ parts: [{ type: "text", text: "/help" }], model: null });
    await agent.stop();
    expect(end).toMatchObject({ stopReason: "end_turn", usage: { inputTokens: 2 } });
    const said = reports.map((report) => (report.report === "text" ? report.text : "")).join("");
    expect(said).toMatch(/^I am Holdfast's demo agent/u);
    expect(await demo?.describe()).toMatchObject({
      modes: [{ id: "ask" }, { id: "auto" }],
      commands: expect.arrayContaining([expect.objectContaining({ name: "plan" })]),
    });
  });
});

function catalog(defaultName: string | null = null): Catalog {
  return createCatalog({
    definitions: [
      define({
        name: "missing",
        command: ["no-such-program", "--acp"],
        install: "npm install -g no-such-program",
      }),
    ],
    demo: demoDefinition({ stateFolder: path.join(folder, "demo"), pace: 0 }),
    defaultName,
    owner: `catalog-test-${process.pid}`,
    environment: { PATH: process.env["PATH"] },
    journalFolder: null,
    clientVersion: "0",
  });
}

function start(
  startAgent:
    | ((
        request: Parameters<NonNullable<ReturnType<Catalog["get"]>>["startAgent"]>[0],
      ) => Promise<Agent>)
    | undefined,
  onReport: (report: AgentReport) => unknown = () => {},
): Promise<Agent> {
  if (startAgent === undefined) throw new Error("there is no such provider");
  return startAgent({
    sessionId: "one",
    workspace: { path: folder, descriptor: null },
    model: null,
    resume: null,
    onReport: (report) => void onReport(report),
    signal: new AbortController().signal,
  });
}
