import { createClient, HoldfastError } from "@holdfast/client";
import type { ProviderDescription } from "../../providers/provider-description.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { WrongUsage } from "../failure/wrong-usage.ts";
import { findServer, type ServerAddress } from "../gateway/find-server.ts";
import { changeConfigFile } from "../settings/change-config.ts";
import { readConfigFile } from "../settings/config-file.ts";
import { dataSettings, serveSettings, type DataFlags } from "../settings/settings.ts";
import { configuredRoot, repositoryAround } from "../settings/workspace-root.ts";
import { commandLine } from "../terminal/invocation.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { canAsk } from "../terminal/terminal.ts";
import { chooseProvider, chooseRoot, type Ask } from "./choose.ts";

export interface InitFlags extends DataFlags {
  readonly provider?: string;
  readonly workspaceRoot?: string;
  readonly yes?: true;
  /** False with `--no-check`. */
  readonly check: boolean;
  readonly json?: true;
}

const SHOWN_LENGTH = 200;

/** Chooses the default agent and the workspace root, checks the agent with one message, and writes the config file. */
export async function init(flags: InitFlags): Promise<number> {
  const printer = openPrinter(flags);
  const ask = askerFor(flags, printer);
  const { dataFolder } = dataSettings(flags, process.env);
  const config = readConfigFile(dataFolder);
  // A root that no longer exists must not stop the command that can replace it.
  const settings = serveSettings({ ...flags, workspaceRoot: "." }, process.env);
  const { catalogOf } = await import("../catalog.ts");
  const catalog = catalogOf(settings);
  const agents = await Promise.all(catalog.all().map((provider) => provider.describe()));
  showAgents(agents, printer);

  const configured = config.defaultProvider;
  const provider = await chooseProvider(agents, { named: flags.provider, configured, ask });
  if (provider === null) return nothingChanged(printer);
  const workspaceRoot = await chooseRoot({
    named: flags.workspaceRoot,
    configured: configuredRoot(process.env, config.workspaceRoot),
    folder: process.cwd(),
    ask,
  });
  if (workspaceRoot === null) return nothingChanged(printer);

  const answer = flags.check
    ? await answerOf(provider, { ...settings, workspaceRoot }, printer)
    : null;
  if (typeof answer === "number") return answer;

  const { file, isChanged } = changeConfigFile(dataFolder, {
    defaultProvider: provider.name,
    workspaceRoot,
  });
  const server = await findServer(flags, settings);
  const mustRestart = server !== null && !(await applyTo(server, provider.name));
  const next = nextCommands({ isRunning: server !== null, mustRestart });
  if (flags.json === true) {
    printer.json({
      defaultProvider: provider.name,
      workspaceRoot,
      configFile: file,
      changed: isChanged,
      answer,
      restartNeeded: mustRestart,
      agents: agents.map(({ name, title, installed, version, install, login }) => ({
        name,
        title,
        installed,
        version,
        install,
        login,
      })),
      next,
    });
    return EXIT.done;
  }
  if (answer !== null) printer.line(`${provider.title} answered: ${firstLine(answer)}`);
  printer.line(`Default agent: ${provider.title}`);
  printer.line(`Workspace root: ${workspaceRoot}`);
  printer.line(`${isChanged ? "Written to" : "Already in"} ${file}`);
  printer.line("Next:");
  for (const command of next) printer.line(`  ${command}`);
  return EXIT.done;
}

/** Null where nobody can be asked. A script must say what it wants. */
function askerFor({ yes, provider, json }: InitFlags, { terminal }: Printer): Ask | null {
  if (yes === true) return null;
  if (json !== true && canAsk(terminal))
    return async (message, options) => {
      const { isCancel, select } = await import("@clack/prompts");
      const answer = await select({ message, options: [...options], output: process.stderr });
      return isCancel(answer) ? null : answer;
    };
  if (provider !== undefined) return null;
  throw new WrongUsage(
    "Pass --provider NAME to choose an agent, or --yes for the first one that is installed.",
  );
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH)}…`;
}

function nothingChanged(printer: Printer): number {
  printer.note("Nothing was changed.");
  return EXIT.no;
}

function showAgents(agents: readonly ProviderDescription[], printer: Printer): void {
  if (!printer.isForPeople) return;
  printer.table(
    agents.map(({ name, title, installed, version, install, login }) => [
      name,
      title,
      installed ? (version ?? "yes") : "no",
      installed ? login : [install, login].filter((each) => each !== null).join("; then: "),
    ]),
    [
      "NAME",
      "AGENT",
      {
        title: "INSTALLED",
        style: (text, paint) => (text === "no" ? paint.dim(text) : paint.green(text)),
      },
      { title: "HOW TO INSTALL IT AND LOG IN", flexible: true },
    ],
  );
}

/** The answer of the agent to one message, or the exit code of a signal. Throws with the agent's own reason. */
async function answerOf(
  { name, title, login }: ProviderDescription,
  settings: ReturnType<typeof serveSettings>,
  printer: Printer,
): Promise<string | number> {
  const { checkAgent, QUESTION } = await import("./check-agent.ts");
  printer.note(`Asking ${title}: ${QUESTION}`);
  const turn = await checkAgent(settings, name, printer.terminal);
  if (typeof turn === "number") return turn;
  if (!turn.ok) {
    const how = login === null ? "" : ` To log in: ${login}`;
    throw new CommandFailure(
      `${title} does not work yet: ${turn.reason}.${how} Then run again: ${commandLine("init")}. Nothing was written; --no-check writes the settings anyway.`,
    );
  }
  if (!/ready/iu.test(turn.answer) && login !== null)
    printer.note(`If the answer below is not one of a model, log in: ${login}`);
  return turn.answer;
}

/** Whether the running server uses the settings at once; if not, it must be restarted. */
async function applyTo(server: ServerAddress, defaultProvider: string): Promise<boolean> {
  const client = createClient(server.client);
  const repository = repositoryAround(process.cwd());
  try {
    await client.updateProviders({ defaultProvider });
    if (repository !== null) await client.repos.add({ path: repository });
    return true;
  } catch (error) {
    if (error instanceof HoldfastError && NEEDS_RESTART.has(error.code)) return false;
    throw error;
  }
}

/** The server has the PATH, the providers and the workspace root of its start. */
const NEEDS_RESTART: ReadonlySet<string> = new Set([
  "agent_not_installed",
  "provider_unknown",
  "path_outside_root",
]);

function nextCommands({
  isRunning,
  mustRestart,
}: {
  readonly isRunning: boolean;
  readonly mustRestart: boolean;
}): readonly string[] {
  const first = isRunning ? (mustRestart ? [commandLine("restart")] : []) : [commandLine("up")];
  const send = commandLine(`send "$(${commandLine("create")})" "Explain this repository"`);
  return [...first, send];
}
