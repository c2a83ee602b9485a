import { createClient, type Client } from "@holdfast/client";
import type { ProviderLogin } from "@holdfast/protocol";
import { setTimeout as pause } from "node:timers/promises";
import type { LoginAgent, LoginMethod, LoginPage, LoginStatus } from "../../providers/login.ts";
import { AgentFault, type Provider } from "../../providers/provider.ts";
import { CommandFailure, EXIT } from "../exit.ts";
import { findServer, gatewaySettings, type CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";
import { localUrl } from "../settings/data-folder.ts";
import { shellWord } from "../terminal/format.ts";
import { commandLine } from "../terminal/invocation.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { openStopRequests } from "../terminal/stop-requests.ts";
import { chooseMethod } from "./choose-method.ts";
import { runAtTerminal } from "./run-at-terminal.ts";

export interface LoginFlags extends CommonFlags {
  readonly method?: string;
  readonly check?: true;
}

const LOOK_MS = 1_000;

/** Logs in to an agent as the agent itself does it, then lets the runs go on that wait for it. */
export async function logIn(name: string, flags: LoginFlags): Promise<number> {
  const printer = openPrinter(flags);
  const remote = await remoteServer(flags);
  if (remote !== null) return logInRemotely(remote, name, flags, printer);
  return withLoginAgent(name, flags, printer, async (agent, provider) => {
    if (flags.check === true) return showStatus(name, await agent.status(), printer);
    const method = await chooseMethod(agent.methods, {
      named: flags.method,
      printer,
      provider: await provider.describe(),
    });
    if (method === null) return EXIT.no;
    await logInWith(agent, method, flags);
    const released = await release(name, flags);
    const status = await agent
      .status()
      .catch((): LoginStatus => ({ state: "unknown", label: null }));
    printer.result(
      { provider: name, method: method.id, released, status },
      [
        `Logged in to ${name}${status.label === null ? "" : ` as ${status.label}`}.`,
        ...(released > 0 ? [goOn(released)] : []),
      ].join(" "),
    );
    return EXIT.done;
  });
}

/** Asks the agent to remove its stored login. */
export async function logOut(name: string, flags: CommonFlags): Promise<number> {
  const printer = openPrinter(flags);
  const remote = await remoteServer(flags);
  const done = (): number => {
    printer.result({ provider: name }, `Logged out of ${name}. Keys in variables stay.`);
    return EXIT.done;
  };
  if (remote !== null) {
    const { state, message } = await remote.logOut(name);
    if (state === "failed") throw new CommandFailure(message ?? "The logout failed.");
    return done();
  }
  return withLoginAgent(name, flags, printer, async (agent, provider) => {
    const { title } = await provider.describe();
    if (!agent.canLogOut) throw new CommandFailure(`${title} does not offer to log out.`, EXIT.no);
    await agent.logOut();
    return done();
  });
}

function showStatus(name: string, status: LoginStatus, printer: Printer): number {
  const { state, label } = status;
  const words = {
    in: `${name}: logged in${label === null ? "" : ` as ${label}`}`,
    out: `${name}: not logged in`,
    unknown: `${name}: unknown; the agent does not report it`,
  };
  printer.result({ provider: name, status }, words[state]);
  return state === "out" ? EXIT.no : EXIT.done;
}

/** Null unless `--url` names a server on another machine. */
async function remoteServer(flags: CommonFlags): Promise<Client | null> {
  if (flags.url === undefined || LOOPBACK.has(new URL(localUrl(flags.url)).hostname)) return null;
  const server = await findServer(flags, gatewaySettings(flags));
  return server === null ? null : createClient(server.client);
}

const LOOPBACK: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Only logins that the agent does itself can be done from elsewhere. */
async function logInRemotely(
  server: Client,
  name: string,
  { method, check }: LoginFlags,
  printer: Printer,
): Promise<number> {
  const { providers } = await server.providers();
  const provider = providers.find((each) => each.name === name);
  if (provider === undefined) throw noSuchProvider(name);
  if (check === true) return showStatus(name, provider.loginStatus, printer);
  if (method === undefined) {
    const ids = provider.loginMethods.filter(({ how }) => how === "agent").map(({ id }) => id);
    const other =
      ids.length === 0 ? "" : ` From here, pass --method with one of: ${ids.join(", ")}.`;
    throw new CommandFailure(
      `The login must run on the server's machine, as the user of the server: holdfast login ${shellWord(name)}.${other}`,
      EXIT.usage,
    );
  }
  let login: ProviderLogin = await server.logIn(name, { method });
  let shownUrl: string | null = null;
  while (login.state === "starting" || login.state === "waiting") {
    const { url, code, message } = login;
    if (url !== null && url !== shownUrl) showPage({ url, code, message: message ?? "" });
    shownUrl = url;
    await pause(LOOK_MS);
    login = await server.login(name);
  }
  if (login.state !== "done") throw new CommandFailure(login.message ?? "The login was stopped.");
  const { released } = login;
  printer.result(
    { provider: name, method, released, status: { state: "unknown", label: null } },
    [`Logged in to ${name}.`, ...(released > 0 ? [goOn(released)] : [])].join(" "),
  );
  return EXIT.done;
}

async function withLoginAgent(
  name: string,
  flags: CommonFlags,
  printer: Printer,
  use: (agent: LoginAgent, provider: Provider) => Promise<number>,
): Promise<number> {
  const settings = gatewaySettings(flags);
  const { catalogOf } = await import("../catalog.ts");
  const provider = catalogOf(settings, { journalFolder: null }).get(name);
  if (provider === null) throw noSuchProvider(name);
  if (provider.startLogin === undefined)
    throw new CommandFailure(`The provider "${name}" has no login: set its key instead.`, EXIT.no);
  const stopping = new AbortController();
  const stops = openStopRequests(printer.terminal);
  void stops.next().then(() => stopping.abort());
  let agent: LoginAgent | null = null;
  try {
    printer.note(`Starting ${name}…`, printer.paint.dim);
    agent = await provider.startLogin({
      signal: stopping.signal,
      onPage: showPage,
      isAtTerminal: true,
    });
    return await use(agent, provider);
  } catch (error) {
    if (!(error instanceof AgentFault)) throw error;
    throw new CommandFailure(error.message, EXIT.failed, { cause: error });
  } finally {
    stops.close();
    await agent?.stop();
  }
}

async function logInWith(
  agent: LoginAgent,
  { id, how, ...method }: LoginMethod,
  { json }: CommonFlags,
): Promise<void> {
  switch (how) {
    case "terminal":
      return runAtTerminal(agent.programOf(id), { isQuiet: json === true });
    case "agent":
      return agent.logIn(id);
    case "variable": {
      if (agent.isReady(id)) return agent.logIn(id);
      const names = Array.isArray(method["variables"]) ? method["variables"].join(" and ") : id;
      throw new CommandFailure(
        `Set ${names} in the environment of the server, or in "env" of the agent in the config file, and restart the server. Sessions that wait for it then go on.`,
        EXIT.no,
      );
    }
    default:
      return how satisfies never;
  }
}

/** Tells the server, or the database if none runs. The number of runs that go on. */
async function release(name: string, flags: CommonFlags): Promise<number> {
  try {
    const options = { withProviders: true };
    const login = await withGateway(flags, "change", (gateway) => gateway.logIn(name), options);
    return login.released;
  } catch (error) {
    // There is no database yet, so nothing waits.
    if (error instanceof CommandFailure) return 0;
    throw error;
  }
}

/** To stderr in any case: without it, nobody can log in. */
function showPage({ url, code, message }: LoginPage): void {
  const lines = [message, `Open: ${url}`, ...(code === null ? [] : [`Code: ${code}`])];
  for (const line of lines) process.stderr.write(`${neutraliseLine(line)}\n`);
}

function goOn(released: number): string {
  return released === 1 ? "1 session goes on." : `${released} sessions go on.`;
}

function noSuchProvider(name: string): CommandFailure {
  return new CommandFailure(
    `There is no provider "${name}". Run \`${commandLine("providers")}\` to see all providers.`,
    EXIT.no,
  );
}
