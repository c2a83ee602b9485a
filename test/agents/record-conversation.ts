import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createAcpProvider } from "../../packages/server/src/providers/acp/acp-provider.ts";
import { looseObject } from "../../packages/server/src/providers/acp/wire/loose.ts";
import { definitionsOf } from "../../packages/server/src/providers/configured.ts";
import type { Agent, AgentReport } from "../../packages/server/src/providers/provider.ts";
import { startFakeModels } from "../../packages/server/src/providers/testing/fake-models/fake-models.ts";
import { removeFolder } from "../e2e/holdfast-process.ts";
import type { InstalledAgent } from "./install-agent.ts";
import { environmentOf } from "./rig.ts";

const FIXTURES = path.resolve(
  import.meta.dirname,
  "../../packages/server/src/providers/acp/fixtures/versions",
);
/** Always the same path, because agents repeat it in pieces that cannot be replaced later. */
const FOLDER = "/tmp/recorded";
/** Longer strings are cut. */
const MAX_TEXT = 4_000;

/** A message of the conversation, and what the person does while the agent works on it. */
interface Exchange {
  readonly text: string;
  readonly does?: "allows" | "rejects" | "cancels";
}

interface Row {
  readonly dir?: "client" | "agent";
  readonly msg?: unknown;
  readonly exit?: number | string;
}

/** The command that the model calls, in the words of each agent. */
const COMMANDS: Readonly<Record<string, string>> = {
  claude: 'TOOL Bash {"command":"seq 1 300; exit 3","description":"count"}',
  codex:
    'TOOL exec_command {"cmd":"seq 1 300; exit 3","sandbox_permissions":"require_escalated","justification":"count"}',
};

/** Holds the same conversation with an agent in both versions of the protocol, and stores what was written. */
export async function recordConversations(agent: InstalledAgent): Promise<void> {
  for (const protocol of [1, 2] as const) {
    const rows = await converse(agent, protocol);
    mkdirSync(FIXTURES, { recursive: true });
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    writeFileSync(path.join(FIXTURES, `${agent.name}-${protocol}.jsonl`), lines);
    process.stdout.write(`✓ ${agent.name} protocol ${protocol}: ${rows.length} lines\n`);
  }
}

async function converse(agent: InstalledAgent, protocol: 1 | 2): Promise<readonly Row[]> {
  const models = await startFakeModels();
  removeFolder(FOLDER);
  const repo = path.join(FOLDER, "repo");
  mkdirSync(path.join(repo, ".git"), { recursive: true });
  const env = environmentOf(agent, { folder: FOLDER }, models);
  const [definition] = definitionsOf(
    new Map([[agent.name, { env, protocol, tools: false }]]),
  ).filter(({ name }) => name === agent.name);
  if (definition === undefined) throw new Error(`there is no provider ${agent.name}`);
  const journalFolder = path.join(FOLDER, "journal");
  const { PATH = "" } = process.env;
  const provider = createAcpProvider({
    definition: { ...definition, command: [agent.file, ...definition.command.slice(1)] },
    owner: `record-${process.pid}`,
    environment: { PATH: `${path.dirname(process.execPath)}${path.delimiter}${PATH}` },
    journalFolder,
    clientVersion: "0.0.0",
  });
  const rows: Row[] = [];
  let resume: Agent["resumeData"] = null;
  try {
    for (const part of conversation(agent, repo)) {
      const sessionId = `part-${rows.length}`;
      const listening: { onReport: (report: AgentReport) => void } = { onReport: () => {} };
      const started = await provider.startAgent({
        sessionId,
        workspace: { path: repo, descriptor: null },
        model: null,
        resume,
        signal: AbortSignal.timeout(120_000),
        onReport: (report) => {
          listening.onReport(report);
        },
      });
      for (const exchange of part) await hold(started, exchange, listening);
      ({ resumeData: resume } = started);
      await started.stop();
      rows.push(...rowsOf(path.join(journalFolder, `${sessionId}.jsonl`)));
      rows.push({ exit: 0 });
    }
    return rows;
  } finally {
    await models.close();
    removeFolder(FOLDER);
  }
}

/** The exchanges with the first process, and with a second one that resumes the session. */
function conversation(agent: InstalledAgent, repo: string): readonly (readonly Exchange[])[] {
  const command = COMMANDS[agent.name];
  return [
    [
      { text: "PING" },
      { text: "THINK" },
      { text: `WRITE ${path.join(repo, "out.txt")}`, does: "allows" },
      { text: `WRITE ${path.join(repo, "no.txt")}`, does: "rejects" },
      ...(command === undefined ? [] : [{ text: command, does: "allows" } as const]),
      { text: "ERR 400" },
      { text: "SLOW", does: "cancels" },
    ],
    [{ text: "RECALL PING" }],
  ];
}

async function hold(
  agent: Agent,
  { text, does }: Exchange,
  listening: { onReport: (report: AgentReport) => void },
): Promise<void> {
  listening.onReport = (report) => {
    if (report.report === "text" && does === "cancels") {
      listening.onReport = () => {};
      setImmediate(() => void agent.cancel());
    }
    if (report.report !== "permission") return;
    const kind = does === "allows" ? "allow_once" : "reject_once";
    const option = report.request.options.find((each) => each.kind === kind);
    const answer =
      option === undefined
        ? ({ outcome: "cancelled" } as const)
        : ({ outcome: "selected", optionId: option.optionId } as const);
    setImmediate(() => agent.answer(report.requestId, answer));
  };
  // A failed prompt is part of the recording.
  await agent.prompt({ parts: [{ type: "text", text }], model: null }).catch(() => null);
}

/** The messages in the journal. */
function rowsOf(file: string): readonly Row[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((entry): Row[] => {
      const { direction, line } = looseObject(JSON.parse(entry)) ?? {};
      if ((direction !== "in" && direction !== "out") || typeof line !== "string") return [];
      const message: unknown = JSON.parse(line, (_key, value: unknown) =>
        typeof value === "string" && value.length > MAX_TEXT ? value.slice(0, MAX_TEXT) : value,
      );
      const { jsonrpc: _version, ...msg } = looseObject(message) ?? {};
      return [{ dir: direction === "out" ? "client" : "agent", msg }];
    });
}
