import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { openSandbox } from "../../packages/server/src/providers/sandbox/sandbox.ts";
import type { ProtocolChoice } from "../../packages/server/src/providers/acp/v2/versioned-peer.ts";
import { OTHER_CLIENTS, tryClient } from "./clients.ts";
import { handOver, type Handover } from "./handover.ts";
import { installAgent, type InstalledAgent } from "./install-agent.ts";
import { toOutcome, type Outcome } from "./outcome.ts";
import { REAL_AGENTS } from "./real-agents.ts";
import { recordConversations } from "./record-conversation.ts";
import { tablesOf, writePage } from "./report.ts";
import { openRig, type Rig } from "./rig.ts";
import type { Scenario } from "./scenario.ts";
import { agentSessionDeleted, forkNative } from "./scenarios/agent-keeps.ts";
import { elicitation, elicitationAfterKill } from "./scenarios/elicitations.ts";
import { firstCommands } from "./scenarios/first-commands.ts";
import { goesOn } from "./scenarios/goes-on.ts";
import { holdfastTools } from "./scenarios/holdfast-tools.ts";
import { leads } from "./scenarios/leads.ts";
import { ownMcp } from "./scenarios/own-mcp.ts";
import { keepsWork } from "./scenarios/keeps-work.ts";
import { killedAgent } from "./scenarios/killed-agent.ts";
import { login } from "./scenarios/login.ts";
import { mcpElicitation } from "./scenarios/mcp-elicitation.ts";
import { modeKept } from "./scenarios/mode-kept.ts";
import {
  allow,
  killedServer,
  killedServerReject,
  killedServerStubborn,
  reject,
} from "./scenarios/permissions.ts";
import { cancel, plain, thinking } from "./scenarios/speaking.ts";
import { steering } from "./scenarios/steering.ts";
import { terminalOutput } from "./scenarios/terminal-output.ts";
import { subagent } from "./scenarios/subagent.ts";
import { APART_SESSIONS, workApart, type ApartRow } from "./worktrees.ts";

const SCENARIOS = [
  plain,
  thinking,
  allow,
  reject,
  cancel,
  killedAgent,
  goesOn,
  killedServer,
  killedServerReject,
  killedServerStubborn,
  elicitation,
  elicitationAfterKill,
  holdfastTools,
  keepsWork,
  ownMcp,
  leads,
  mcpElicitation,
  steering,
  terminalOutput,
  modeKept,
  firstCommands,
  login,
  forkNative,
  agentSessionDeleted,
  subagent,
];
const HANDOVER = "handover";
const WORKTREES = "worktrees";
const PROTOCOLS: Readonly<Record<string, ProtocolChoice | undefined>> = {
  "1": 1,
  "2": 2,
  auto: "auto",
};
/** Agents tested at the same time. */
const LANES = 2;

// Servers get the signal too and stop their agents. The folders are removed on exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    scenario: { type: "string" },
    sandbox: { type: "boolean", default: false },
    protocol: { type: "string" },
    record: { type: "boolean", default: false },
  },
});
const [protocolName] = choose("protocol", values.protocol ?? "default", [
  "default",
  "1",
  "2",
  "auto",
]);
const protocol = PROTOCOLS[protocolName ?? ""];
const { sandbox: isSandboxed } = values;
const agentNames = choose(
  "agent",
  values.only,
  REAL_AGENTS.map(({ name }) => name),
);
const scenarioNames = choose("scenario", values.scenario, [
  ...SCENARIOS.map(({ name }) => name),
  HANDOVER,
  WORKTREES,
  ...OTHER_CLIENTS.map(({ name }) => name),
]);
const missing = isSandboxed ? await whyNoSandbox() : null;
if (missing !== null) {
  process.stderr.write(`Cannot test agents in the sandbox: ${missing}\n`);
  process.exit(1);
}
const clients = OTHER_CLIENTS.filter(({ name }) => scenarioNames.includes(name));
const needsAgents = values.record || scenarioNames.length > clients.length;
const agents = REAL_AGENTS.filter(({ name }) => needsAgents && agentNames.includes(name));
const scenarios = SCENARIOS.filter(({ name }) => scenarioNames.includes(name));
const outcomes = new Map<string, Outcome>();
const handovers: Handover[] = [];
const apart: ApartRow[] = [];

const installed: InstalledAgent[] = [];
for (const agent of agents) {
  const result = await installAgent(agent);
  if (result.ok) installed.push(result.agent);
  else
    for (const { name } of scenarios)
      report(agent.name, name, { status: "skipped", why: result.why });
}
if (values.record) {
  for (const agent of installed) await recordConversations(agent);
  process.exit(0);
}
if (scenarios.length > 0) {
  const remaining = [...installed];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let agent = remaining.shift(); agent !== undefined; agent = remaining.shift()) {
        await tryAgent(agent);
      }
    }),
  );
}
if (scenarioNames.includes(HANDOVER) && installed.length > 1) await tryHandovers();
if (scenarioNames.includes(WORKTREES) && installed.length > 0) await tryWorktrees();
for (const client of clients) report(client.name, "tests", await tryClient(client));

const tables = tablesOf({
  agents,
  scenarios,
  outcomeOf: (agent, scenario) => outcomes.get(`${agent} ${scenario}`) ?? null,
  handovers,
  apart,
});
const isWhole = [values.only, values.scenario, values.protocol].every((each) => each === undefined);
if (isWhole) writePage(tables, { isSandboxed });
const statuses = [...outcomes.values()].map(({ status }) => status);
const count = (status: Outcome["status"]): number =>
  statuses.filter((each) => each === status).length;
const skipped = count("skipped") > 0 ? `, ${count("skipped")} skipped` : "";
process.stdout.write(
  `\n${agents.length > 0 ? `${tables}\n\n` : ""}${count("passed")} passed, ${count("failed")} failed${skipped}\n`,
);
process.exitCode = count("failed") === 0 ? 0 : 1;

async function tryAgent(agent: InstalledAgent): Promise<void> {
  const rig = await openRig([agent], { isSandboxed, protocol });
  for (const scenario of scenarios) await tryScenario(scenario, { rig, agent });
  report(agent.name, "end", await toOutcome(() => rig.close().then(() => "")));
}

async function tryScenario(
  scenario: Scenario,
  { rig, agent }: { readonly rig: Rig; readonly agent: InstalledAgent },
): Promise<void> {
  const startedMs = performance.now();
  const outcome = await toOutcome(async () => {
    const note = await scenario.run({ rig, agent });
    await rig.noAgents();
    return note;
  });
  report(agent.name, scenario.name, outcome, performance.now() - startedMs);
  // A failed scenario must not disturb the next one.
  if (outcome.status !== "passed") await toOutcome(() => removeSessions(rig));
}

async function tryHandovers(): Promise<void> {
  const rig = await openRig(installed, { isSandboxed, protocol });
  const whole = await handOver(rig, {
    agents: installed,
    onOutcome: (handover) => {
      handovers.push(handover);
      report(handover.from, `to ${handover.to}`, handover.outcome);
    },
  });
  report(HANDOVER, "nothing lost or duplicated", whole);
  report(HANDOVER, "end", await toOutcome(() => rig.close().then(() => "")));
}

async function tryWorktrees(): Promise<void> {
  const rig = await openRig(installed, { isSandboxed, protocol, liveAgents: APART_SESSIONS });
  const startedMs = performance.now();
  const outcome = await toOutcome(async () => {
    apart.push(...(await workApart(rig, installed)));
    return "";
  });
  report(WORKTREES, "no file crossed", outcome, performance.now() - startedMs);
  report(WORKTREES, "end", await toOutcome(() => rig.close().then(() => "")));
}

async function whyNoSandbox(): Promise<string | null> {
  const { state } = await openSandbox({
    mode: "required",
    environment: process.env,
    dataFolder: tmpdir(),
  });
  return state.reason;
}

async function removeSessions({ client }: Rig): Promise<string> {
  const { sessions } = await client.sessions.list();
  for (const { id } of sessions) await client.sessions.delete(id);
  return "";
}

function report(agent: string, step: string, outcome: Outcome, tookMs?: number): void {
  outcomes.set(`${agent} ${step}`, outcome);
  const time = tookMs === undefined ? "" : ` ${(tookMs / 1_000).toFixed(1)} s`;
  const sign = { passed: "✓", failed: "✗", skipped: "-" }[outcome.status];
  const detail = outcome.status === "passed" ? outcome.note : outcome.why;
  process.stdout.write(`${`${sign} ${agent} ${step}${time} ${detail}`.trimEnd()}\n`);
}

function choose(
  kind: string,
  option: string | undefined,
  available: readonly string[],
): readonly string[] {
  if (option === undefined) return available;
  const names = option.split(",");
  const unknown = names.filter((name) => !available.includes(name));
  if (unknown.length === 0) return names;
  process.stderr.write(
    `Unknown ${kind}: ${unknown.join(", ")}. Available: ${available.join(", ")}\n`,
  );
  process.exit(64);
}
