import type { Command } from "commander";
import {
  checked,
  examples,
  NOT_NEGATIVE,
  run,
  SERVER_URL,
  WHOLE,
  withData,
  withServerOptions,
} from "./program-options.ts";
import { URL_VARIABLE } from "./tools/tool-variables.ts";

/** The commands that start, stop and look at the server of this machine. */
export function addServerCommands(holdfast: Command): void {
  holdfast.commandsGroup("Run the server:");
  addBackground(holdfast);
  withListening(holdfast.command("serve"))
    .summary("run the server in this terminal")
    .description(
      "Runs the server with its API and its web page in this terminal, until you press Ctrl-C.",
    )
    .option(
      "--takeover",
      "replace a server that runs on the data folder; its agents go on with their work",
    )
    .addHelpText(...examples("holdfast serve", "holdfast serve --port 8080"))
    .action(run(async () => (await serving()).serve));
  withServerOptions(holdfast.command("open"))
    .summary("open the web page in your browser")
    .description("Opens the web page in your browser and signs you in.")
    .option("--print", "print the address instead; it works once")
    .addHelpText(...examples("holdfast open", "holdfast open --print"))
    .action(run(async () => (await import("./access/open-page.ts")).openPage));
  withData(holdfast.command("acp"))
    .summary("open sessions in an editor that speaks the Agent Client Protocol")
    .description(
      "Speaks the Agent Client Protocol on standard input and output, so that an editor such as Zed uses Holdfast as an agent. The editor starts this command. Sessions go on when the editor is closed.",
    )
    .addOption(
      checked("--url <url>", "server to use (default: the one on the data folder)", SERVER_URL),
    )
    .option("--provider <name>", "agent or model of new sessions (default: the server's)")
    .addHelpText(...examples("holdfast acp", "holdfast acp --provider claude"))
    .action(run(async () => (await import("./doors/acp-command.ts")).serveEditor));
  withData(holdfast.command("mcp"))
    .summary("let a program that speaks the Model Context Protocol use sessions")
    .description(
      "Speaks the Model Context Protocol on standard input and output, so that another agent or program gives work to agents, waits for answers and reads sessions. That program starts this command.",
    )
    .addOption(
      checked("--url <url>", "server to use (default: the one on the data folder)", SERVER_URL),
    )
    .addHelpText(...examples("holdfast mcp"))
    .action(run(mcpCommand));
  withServerOptions(holdfast.command("doctor"))
    .summary("check the installation")
    .description(
      "Checks the data folder, the database, the server, Git, the sandbox and the agents, and says what to do about each problem. Exits with 2 if something does not work.",
    )
    .addHelpText(...examples("holdfast doctor"))
    .action(run(async () => (await import("./commands/doctor.ts")).examine));
}

/** An agent in a session starts the same command for the tools of its own session, and says so in the environment. */
async function mcpCommand() {
  return process.env[URL_VARIABLE] === undefined
    ? (await import("./doors/mcp-command.ts")).serveOrchestrator
    : (await import("./tools/tool-server.ts")).serveTools;
}

function addBackground(holdfast: Command): void {
  withListening(holdfast.command("up"))
    .summary("start the server in the background")
    .description(
      "Starts the server in the background and waits until it answers. If it runs already, prints its address. `holdfast` alone is `holdfast up --open`.",
    )
    .option("--open", "open the web page in your browser, signed in")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast up", "holdfast up --port 8080 --open"))
    .action(run(async () => (await upAndDown()).up));
  withStopping(holdfast.command("down"))
    .summary("stop the server")
    .description(
      "Stops the server and waits until it has stopped. Sessions continue when it starts again. Exits with 0, too, if no server runs.",
    )
    .addHelpText(...examples("holdfast down"))
    .action(run(async () => (await upAndDown()).down));
  withStopping(holdfast.command("restart"))
    .summary("restart the server in the background")
    .description(
      "Stops the server and starts it again with the settings of the last `holdfast up`. Agents go on with their work. If no server runs, starts it.",
    )
    .addHelpText(...examples("holdfast restart"))
    .action(run(async () => (await upAndDown()).restart));
  withFolder(holdfast.command("status"))
    .summary("show whether the server runs")
    .description(
      "Shows whether the server runs, its address, live agents and waiting questions. Exits with 1 if no server runs, and with 2 if it does not answer.",
    )
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast status", "holdfast status --json"))
    .action(run(async () => (await import("./background/status.ts")).status));
  withFolder(holdfast.command("logs"))
    .summary("print the server's log")
    .description("Prints the last lines of the server's log: as JSON, but readable on a terminal.")
    .option("-f, --follow", "print new lines as they are written, until Ctrl-C")
    .addOption(checked("-n, --lines <n>", "number of lines", WHOLE).default(50))
    .option("--json", "print JSON, also on a terminal")
    .addHelpText(...examples("holdfast logs -f", "holdfast logs -n 500 | jq -r .msg"))
    .action(run(async () => (await import("./background/logs.ts")).logs));
  addService(holdfast);
}

function addService(holdfast: Command): void {
  const service = holdfast
    .command("service")
    .summary("start the server when you log in")
    .description("Starts the server when you log in, with systemd on Linux and launchd on macOS.");
  withListening(service.command("install"))
    .summary("install the service and start it")
    .description(
      "Installs the service with these options, the settings in your environment and the current folder, and starts it.",
    )
    .option("--print", "only print the service file")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast service install", "holdfast service install --print"))
    .action(run(async () => (await services()).installService));
  service
    .command("uninstall")
    .summary("stop the service and remove it")
    .description("Stops the service and removes it. Sessions and settings stay.")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast service uninstall"))
    .action(run(async () => (await services()).uninstallService));
  service
    .command("status")
    .summary("show whether the service is active")
    .description("Shows whether the service is installed and active. Exits with 1 if it is not.")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast service status"))
    .action(run(async () => (await services()).serviceStatus));
}

function withListening(command: Command): Command {
  return withData(command)
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 picks a free one (default: 4664)")
    .option(
      "--workspace-root <folder>",
      "folder that contains your repositories (default: the repository you are in)",
    );
}

/** The data folder identifies the server of a command that works on its process. */
function withFolder(command: Command): Command {
  return command.option("--data <folder>", "data folder (default: ~/.local/share/holdfast)");
}

function withStopping(command: Command): Command {
  return withFolder(command)
    .addOption(
      checked("--timeout <seconds>", "maximum time to wait for the stop", NOT_NEGATIVE).default(
        120,
      ),
    )
    .option("--json", "print JSON");
}

const serving = () => import("./commands/serving.ts");
const upAndDown = () => import("./background/up-and-down.ts");
const services = () => import("./background/service.ts");
