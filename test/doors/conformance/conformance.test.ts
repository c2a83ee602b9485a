import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../packages/client/src/index.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../../e2e/holdfast-process.ts";
import { openFixtureServer, type FixtureServer } from "./fixture-http.ts";
import { runSuite, serverScenarios, type ScenarioResult } from "./suite.ts";

const VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/** The suite reads streams for half a second, and waits ten for a task, whatever its --timeout says. */
const IMPATIENT = [
  "server-stateless",
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-status-notifications",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

const SKILLS = "Holdfast does not claim the extension for skills";
const MIRRORED_ARGUMENTS = "http-custom-header-server-validation";
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  [MIRRORED_ARGUMENTS]: "no tool of Holdfast repeats an argument in a header (x-mcp-header)",
  "sep-2640-skills-directory": SKILLS,
  "sep-2640-skills-enumeration": SKILLS,
  "sep-2640-skills-manifest": SKILLS,
};

/** Checks that the suite itself skips, and why. */
const SKIPPED: Readonly<Record<string, readonly unknown[]>> = {
  // The tools and the prompts of the door do not change, and it does not say that they do.
  "server-stateless": [
    "SKIPPED sep-2575-server-sends-prompts-list-changed-on-subscription",
    "SKIPPED sep-2575-server-sends-tools-list-changed-on-subscription",
  ],
  // The suite has no test of these notifications yet, and they are optional.
  "tasks-status-notifications": [expect.stringMatching(/^SKIPPED tasks-status-notifications: /u)],
};

describe("the door, with the tools, resources and prompts that the conformance suite calls", () => {
  let fixture: FixtureServer;
  beforeAll(async () => {
    fixture = await openFixtureServer();
  });
  afterAll(() => fixture.end());

  it.each(VERSIONS)("D6 conforms to MCP %s", async (version) => {
    const results = await runSuite(fixture.url, { version });
    const patient = results.filter(
      ({ scenario }) => !IMPATIENT.includes(scenario) && !(scenario in NOT_APPLICABLE),
    );
    expect(withFindings(patient)).toEqual([]);
    expect(patient.filter(({ passed }) => passed === 0)).toEqual([]);
  });

  it.each(IMPATIENT)("D6 conforms to the suite's scenario %s", async (scenario) => {
    await settles(fixture.url, scenario, SKIPPED[scenario] ?? []);
  });

  it("D6 is tested with every scenario for servers that applies to it", async () => {
    const scenarios = await serverScenarios();
    expect(scenarios.length).toBeGreaterThan(60);
    const untested = scenarios.filter(
      ({ name, versions }) =>
        !IMPATIENT.includes(name) &&
        !(name in NOT_APPLICABLE) &&
        !versions.some((version) => VERSIONS.includes(version)),
    );
    expect(untested).toEqual([]);
  });
});

/** Scenarios that need no tools of their own. */
const GENERAL = [
  "server-initialize",
  "server-session-lifecycle",
  "ping",
  "tools-list",
  "server-sse-multiple-streams",
  "resources-list",
  "resources-subscribe",
  "resources-unsubscribe",
  "sep-2164-resource-not-found",
  "prompts-list",
  "dns-rebinding-protection",
  "caching",
  "http-header-validation",
  "input-required-result-unsupported-methods",
];

describe("the server's own /mcp", () => {
  let server: RunningServer;
  let folder: string;
  const url = (): string => `${server.url}/mcp`;
  beforeAll(async () => {
    const prepared = prepareFolder({ auth: "none" });
    ({ folder } = prepared);
    server = await startHoldfast({
      data: prepared.data,
      env: { AGENT_WORKSPACE_ROOT: prepared.root },
    });
    // A resource to read.
    await createClient(server).sessions.create({ title: "Read me" });
  });
  afterAll(async () => {
    await server.end("SIGTERM");
    removeFolder(folder);
  });

  it("D6 conforms to all versions of MCP, as far as that needs no tools of the suite", async () => {
    const results: ScenarioResult[] = [];
    for (const version of VERSIONS) results.push(...(await runSuite(url(), { version })));
    const general = results.filter(({ scenario }) => GENERAL.includes(scenario));
    expect(new Set(general.map(({ scenario }) => scenario))).toEqual(new Set(GENERAL));
    expect(withFindings(general)).toEqual([]);
    expect(general.filter(({ passed }) => passed === 0)).toEqual([]);
  });

  it("D6 has no tool that repeats an argument in a header", async () => {
    const [result] = await runSuite(url(), { scenario: MIRRORED_ARGUMENTS });
    expect(result?.findings).toContainEqual(
      expect.stringMatching(/^FAILURE sep-2243-server-no-xmcp-tool: /u),
    );
  });

  it("D6 refuses a state that it has not given out", async () => {
    const response = await fetch(url(), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "list_agents",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "list_agents",
          arguments: {},
          requestState: "made up",
          inputResponses: {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(await response.json()).toMatchObject({
      error: { code: -32_602, data: { reason: "invalid_request_state" } },
    });
  });

  it("D6 serves each request by itself, as far as that needs no tools of the suite", async () => {
    const needsTool = (check: string): unknown =>
      expect.stringContaining(`FAILURE ${check}: Not testable: server does not list`);
    await settles(url(), "server-stateless", [
      needsTool("sep-2575-server-rejects-undeclared-capability"),
      needsTool("sep-2575-missing-capability-http-400"),
      needsTool("sep-2575-http-server-no-independent-requests-on-stream"),
      needsTool("sep-2575-server-no-log-without-loglevel"),
      ...(SKIPPED["server-stateless"] ?? []),
    ]);
  });
});

const TRIES = 4;

/** A busy machine may fail an impatient scenario. A defect fails it every time. */
async function settles(url: string, scenario: string, expected: readonly unknown[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const [result] = await runSuite(url, { scenario });
    try {
      return expect(result?.findings).toEqual(expected);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}

function withFindings(results: readonly ScenarioResult[]): readonly ScenarioResult[] {
  return results.filter(({ findings }) => findings.length > 0);
}
