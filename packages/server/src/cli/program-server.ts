import type { Command } from "commander";
import {
  examples,
  notNegative,
  run,
  wholeNumber,
  withData,
  withServerOptions,
} from "./program-options.ts";

/** The commands that start, stop and look at the server of this machine. */
export function addServerCommands(holdfast: Command): void {
  holdfast.commandsGroup("Server:");
  withListening(holdfast.command("up"))
    .description("start the server in the background, unless it runs")
    .option("--open", "open the web page in a browser, signed in")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast up", "holdfast up --port 8080 --open"))
    .action(run(async () => (await upAndDown()).up));
  withStopping(holdfast.command("down"))
    .description("stop the server; sessions continue when it starts again")
    .action(run(async () => (await upAndDown()).down));
  withStopping(holdfast.command("restart"))
    .description("stop the server and start it again with the settings of the last `up`")
    .action(run(async () => (await upAndDown()).restart));
  withFolder(holdfast.command("status"))
    .description("show whether the server runs, and its work; exits with 1 if it does not")
    .option("--json", "print JSON")
    .action(run(async () => (await import("./background/status.ts")).status));
  withFolder(holdfast.command("logs"))
    .description("print the end of the server's log")
    .option("-f, --follow", "print new lines as they are written, until Ctrl-C")
    .option("-n, --lines <n>", "number of lines", wholeNumber, 50)
    .option("--json", "print the JSON lines of the log, also on a terminal")
    .addHelpText(...examples("holdfast logs -f", "holdfast logs -n 500 | jq -r .msg"))
    .action(run(async () => (await import("./background/logs.ts")).logs));
  addService(holdfast);
  withListening(holdfast.command("serve"))
    .description("run the server in the foreground, until Ctrl-C")
    .action(run(async () => (await serving()).serve));
  withServerOptions(holdfast.command("open"))
    .description("open the web page in a browser, signed in")
    .option("--print", "print the address instead, which works once")
    .action(run(async () => (await import("./access/open-page.ts")).openPage));
  holdfast.command("mcp", { hidden: true }).action(run(async () => (await serving()).serveTools));
  withServerOptions(holdfast.command("doctor"))
    .description("check the installation and report problems")
    .action(run(async () => (await import("./commands/doctor.ts")).examine));
}

function addService(holdfast: Command): void {
  const service = holdfast
    .command("service")
    .description("start the server when you log in, with systemd or launchd");
  withListening(service.command("install"))
    .description("install the service with the settings of this shell, and start it")
    .option("--print", "only print the service file")
    .option("--json", "print JSON")
    .addHelpText(...examples("holdfast service install", "holdfast service install --print"))
    .action(run(async () => (await services()).installService));
  service
    .command("uninstall")
    .description("stop the service and remove it; the data stays")
    .option("--json", "print JSON")
    .action(run(async () => (await services()).uninstallService));
  service
    .command("status")
    .description("show whether the service is installed and active; exits with 1 if it is not")
    .option("--json", "print JSON")
    .action(run(async () => (await services()).serviceStatus));
}

function withListening(command: Command): Command {
  return withData(command)
    .option("--host <host>", "address to listen on (default: 127.0.0.1)")
    .option("--port <port>", "port to listen on; 0 picks a free one (default: 4664)");
}

/** The data folder identifies the server of a command that works on its process. */
function withFolder(command: Command): Command {
  return command.option(
    "--data <folder>",
    "data folder of the server (default: holdfast in the user's data folder)",
  );
}

function withStopping(command: Command): Command {
  return withFolder(command)
    .option("--timeout <seconds>", "maximum time to wait for the stop", notNegative, 120)
    .option("--json", "print JSON");
}

const serving = () => import("./commands/serving.ts");
const upAndDown = () => import("./background/up-and-down.ts");
const services = () => import("./background/service.ts");
