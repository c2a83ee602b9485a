import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { openSandbox } from "../../packages/server/src/providers/sandbox/sandbox.ts";
import { handOver, type Handover } from "./handover.ts";
import { installAgent, type InstalledAgent } from "./install-agent.ts";
import { toOutcome, type Outcome } from "./outcome.ts";
import { REAL_AGENTS } from "./real-agents.ts";
import { tablesOf, writePage } from "./report.ts";
import { openRig, type Rig } from "./rig.ts";
import type { Scenario } from "./scenario.ts";
import { holdfastTools } from "./scenarios/holdfast-tools.ts";
import { killedAgent } from "./scenarios/killed-agent.ts";
import {
  allow,
  killedServer,
  killedServerReject,
  killedServerStubborn,
  reject,
} from "./scenarios/permissions.ts";
import { cancel, plain, thinking } from "./scenarios/speaking.ts";

const SCENARIOS = [
  plain,
  thinking,
  allow,
  reject,
  cancel,
  killedAgent,
  killedServer,
  killedServerReject,
  killedServerStubborn,
  holdfastTools,
];
const HANDOVER = "handover";
/** Agents at work at the same time. */
const LANES = 2;

// Servers get the signal too, and end their agents; the folders are removed on exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    scenario: { type: "string" },
    sandbox: { type: "boolean", default: false },
  },
});
const { sandbox: isEnclosed } = values;
const wanted = choose(
  "agent",
  values.only,
  REAL_AGENTS.map(({ name }) => name),
);
const wantedScenarios = choose("scenario", values.scenario, [
  ...SCENARIOS.map(({ name }) => name),
  HANDOVER,
]);
const lack = isEnclosed ? await whyNoSandbox() : null;
if (lack !== null) {
  process.stderr.write(`no agent can be tried in the sandbox: ${lack}\n`);
  process.exit(1);
}
const agents = REAL_AGENTS.filter(({ name }) => wanted.includes(name));
const scenarios = SCENARIOS.filter(({ name }) => wantedScenarios.includes(name));
const outcomes = new Map<string, Outcome>();
const handovers: Handover[] = [];

const installed: InstalledAgent[] = [];
for (const agent of agents) {
  const result = await installAgent(agent);
  if (result.ok) installed.push(result.agent);
  else
    for (const { name } of scenarios)
      note(agent.name, name, { status: "skipped", why: result.why });
}
if (scenarios.length > 0) {
  const waiting = [...installed];
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let agent = waiting.shift(); agent !== undefined; agent = waiting.shift()) {
        await tryAgent(agent);
      }
    }),
  );
}
if (wantedScenarios.includes(HANDOVER) && installed.length > 1) await tryHandovers();

const tables = tablesOf({
  agents,
  scenarios,
  outcomeOf: (agent, scenario) => outcomes.get(`${agent} ${scenario}`) ?? null,
  handovers,
});
if (values.only === undefined && values.scenario === undefined) writePage(tables, { isEnclosed });
const statuses = [...outcomes.values()].map(({ status }) => status);
const count = (status: Outcome["status"]): number =>
  statuses.filter((each) => each === status).length;
const skipped = count("skipped") > 0 ? `, ${count("skipped")} skipped` : "";
process.stdout.write(
  `\n${tables}\n\n${count("passed")} passed, ${count("failed")} failed${skipped}\n`,
);
process.exitCode = count("failed") === 0 ? 0 : 1;

async function tryAgent(agent: InstalledAgent): Promise<void> {
  const rig = await openRig([agent], { isEnclosed });
  for (const scenario of scenarios) await tryScenario(scenario, { rig, agent });
  note(agent.name, "end", await toOutcome(() => rig.close().then(() => "")));
}

async function tryScenario(
  scenario: Scenario,
  { rig, agent }: { readonly rig: Rig; readonly agent: InstalledAgent },
): Promise<void> {
  const startedMs = performance.now();
  const outcome = await toOutcome(async () => {
    const word = await scenario.run({ rig, agent });
    await rig.noAgents();
    return word;
  });
  note(agent.name, scenario.name, outcome, performance.now() - startedMs);
  // What failed must not disturb what comes next.
  if (outcome.status !== "passed") await toOutcome(() => removeSessions(rig));
}

async function tryHandovers(): Promise<void> {
  const rig = await openRig(installed, { isEnclosed });
  const whole = await handOver(rig, {
    agents: installed,
    onOutcome: (handover) => {
      handovers.push(handover);
      note(handover.from, `to ${handover.to}`, handover.outcome);
    },
  });
  note(HANDOVER, "nothing lost or doubled", whole);
  note(HANDOVER, "end", await toOutcome(() => rig.close().then(() => "")));
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

function note(agent: string, what: string, outcome: Outcome, tookMs?: number): void {
  outcomes.set(`${agent} ${what}`, outcome);
  const time = tookMs === undefined ? "" : ` ${(tookMs / 1_000).toFixed(1)} s`;
  const sign = { passed: "✓", failed: "✗", skipped: "-" }[outcome.status];
  const word = outcome.status === "passed" ? outcome.note : outcome.why;
  process.stdout.write(`${`${sign} ${agent} ${what}${time} ${word}`.trimEnd()}\n`);
}

function choose(
  what: string,
  given: string | undefined,
  known: readonly string[],
): readonly string[] {
  if (given === undefined) return known;
  const names = given.split(",");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return names;
  process.stderr.write(`no ${what} ${unknown.join(", ")}; there are ${known.join(", ")}\n`);
  process.exit(64);
}
