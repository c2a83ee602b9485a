import { variablesOf } from "../../domain/mcp-server.ts";
import {
  AgentFault,
  type Agent,
  type DeleteAgentSession,
  type Provider,
  type StartAgent,
  type TakeUpAgent,
} from "../provider.ts";
import type { Choice, ProviderDescription } from "../provider-description.ts";
import { filePatterns, type OutputFiles } from "../output-files.ts";
import { secretsOfOwn } from "../secrets/secret-values.ts";
import { openSecrets } from "../secrets/secrets.ts";
import { AcpAgent } from "./acp-agent.ts";
import type { AcpLink } from "./acp-link.ts";
import { noteOf } from "./agent-note.ts";
import { secretsOfVariables } from "./connections/user-servers.ts";
import {
  abandon,
  launch,
  stop,
  type AcpProviderOptions,
  type LaunchedAgent,
  type OpenOptions,
} from "./launch-agent.ts";
import { UNKNOWN_LOGIN, type LoginStatus } from "../login.ts";
import { startLogin } from "./login/start-login.ts";
import { deleteSession, openSession, type OpenedSession } from "./open-session.ts";
import { commandOf, searchPathOf } from "./process/agent-command.ts";
import { agentEnvironment, secretsOf } from "./process/agent-environment.ts";
import { findProgram } from "./process/find-program.ts";
import { programVersion } from "./process/program-version.ts";
import { AcpSpare } from "./spare/acp-spare.ts";
import { takeUp } from "./take-up.ts";
import { createLateUpdates } from "./wire/late-updates.ts";

export type { AcpProviderOptions };

/** Starts agents of one program that speaks the Agent Client Protocol over stdio. */
export function createAcpProvider(given: AcpProviderOptions): Provider {
  const { definition, environment, secrets = openSecrets() } = given;
  const options = { ...given, secrets, late: createLateUpdates(definition.speaksLate) };
  secrets.keep(secretsOf(environment, definition));
  secrets.keep(secretsOfConnections(given));
  let latest: LatestAgent | null = null;
  let loginStatus = UNKNOWN_LOGIN;
  const onLoginStatus = (status: LoginStatus): void => {
    loginStatus = status;
  };
  const hooks: StartHooks = { onLoginStatus, onStarted: (started) => (latest = started) };
  return {
    name: definition.name,
    asks: definition.asks,
    mode: definition.mode,
    outputFiles: outputFilesOf(options),
    describe: () => Promise.resolve(describe(options, latest, loginStatus)),
    startAgent: (request) => startAgent(options, request, hooks),
    ...(given.host !== undefined && {
      takeUp: (request: TakeUpAgent) => takeUpAgent(options, request, hooks),
    }),
    startSpare: (request) => AcpSpare.start(options, request, onLoginStatus),
    startLogin: (request) => startLogin(options, { ...request, onLoginStatus }),
    deleteSession: (request) => deleteOwnSession(options, request),
  };
}

interface LatestAgent {
  /** Agents announce their commands some time after they started, so `link.about` is read when it is needed. */
  readonly link: AcpLink;
  readonly session: OpenedSession;
}

function describe(
  options: OpenOptions,
  latest: LatestAgent | null,
  loginStatus: LoginStatus,
): ProviderDescription {
  const { definition } = options;
  const { name, title, install, login } = definition;
  const command = commandOf(options);
  const program = findProgram(command[0] ?? "", searchPathOf(options));
  const configured = definition.models.map((id): Choice => ({ id, name: id }));
  const about = latest?.link.about;
  const offered = about?.model.choices.filter(({ id }) => !definition.models.includes(id)) ?? [];
  return {
    name,
    title,
    installed: program !== null,
    // The interpreter of a configured script has a version of its own.
    version: program === null || install === null ? null : programVersion(program),
    command: options.secrets.redactor.json(command),
    install,
    login,
    loginStatus,
    loginMethods: latest?.link.loginMethods ?? [],
    canLogOut: latest?.session.capabilities.logout ?? false,
    models: [...configured, ...offered],
    modes: about?.mode.choices ?? [],
    commands: about?.commands ?? [],
    capabilities: latest?.session.capabilities.raw ?? null,
  };
}

interface StartHooks {
  readonly onStarted: (agent: LatestAgent) => void;
  readonly onLoginStatus: (status: LoginStatus) => void;
}

async function startAgent(
  options: OpenOptions,
  request: StartAgent,
  { onStarted, onLoginStatus }: StartHooks,
): Promise<Agent> {
  const launched = await fromSpare(request);
  if (launched !== null) {
    const agent = await open(options, request, { launched, onStarted }).catch((error: unknown) => {
      // A process that was started now may still work.
      if (request.signal.aborted || !isOfSpare(error)) throw error;
    });
    if (agent !== undefined) return agent;
  }
  return open(options, request, {
    launched: await launch(options, request, { onLoginStatus }),
    onStarted,
  });
}

/** Null if there is no spare agent, or if it is not what a start would be now. */
async function fromSpare({ spare, ...request }: StartAgent): Promise<LaunchedAgent | null> {
  if (!(spare instanceof AcpSpare)) return null;
  if (spare.fits(request)) return spare.take(request);
  await spare.stop();
  return null;
}

/** It died, or remembers that nobody was logged in. */
function isOfSpare(error: unknown): boolean {
  if (!(error instanceof AgentFault)) return false;
  return error.code === "agent_exited" || error.code === "agent_needs_login";
}

async function open(
  { definition }: OpenOptions,
  request: StartAgent,
  { launched, onStarted }: Pick<StartHooks, "onStarted"> & { readonly launched: LaunchedAgent },
): Promise<Agent> {
  const { link, sweep, closeJournal, hosted } = launched;
  const isSpare = launched.context.initialized !== undefined;
  const own = isSpare ? { ownSessionId: request.sessionId } : {};
  try {
    const opened = await openSession(launched.context);
    onStarted({ link, session: opened });
    const notices = [...launched.notices, ...opened.notices].map(link.redactor.text);
    const session = { ...opened, notices };
    return new AcpAgent({
      definition,
      link,
      session,
      sweep,
      closeJournal,
      hosted,
      keep: (prompt) =>
        hosted?.checkpoint({
          offset: link.offset,
          note: noteOf(link, session, { prompt, ...own }),
        }),
    });
  } catch (error) {
    throw await abandon(launched, error, request.signal);
  }
}

async function takeUpAgent(
  options: OpenOptions,
  request: TakeUpAgent,
  { onStarted, onLoginStatus }: StartHooks,
): Promise<Agent | null> {
  const taken = await takeUp(options, request, onLoginStatus);
  if (taken === null) return null;
  onStarted({ link: taken.link, session: taken.note.session });
  return taken.agent;
}

/** Starts a process only to delete a session that it keeps. The process gets no tools and has no journal. */
async function deleteOwnSession(
  options: OpenOptions,
  request: DeleteAgentSession,
): Promise<"deleted" | "not_offered"> {
  const definition = { ...options.definition, tools: false, mcpServers: {} };
  const { host: _host, ...inside } = options;
  const quiet = { ...inside, definition, journalFolder: null };
  const start = { ...request, model: null, onReport: () => undefined };
  const launched = await launch(quiet, start);
  try {
    const outcome = await deleteSession(launched.context);
    await stop(launched);
    return outcome;
  } catch (error) {
    throw await abandon(launched, error, request.signal);
  }
}

function outputFilesOf({ definition, environment, owner, secrets }: OpenOptions): OutputFiles {
  const variables = agentEnvironment(environment, definition, { owner, agent: "" }, "/");
  return {
    patterns: filePatterns(definition.outputFiles, variables),
    redactor: secrets.redactor,
  };
}

/** The secrets that are known before the first agent starts. */
function secretsOfConnections({
  definition: { mcpServers },
  environment,
  mcpVariables = [],
}: AcpProviderOptions): readonly string[] {
  const servers = Object.values(mcpServers);
  return [
    ...servers.flatMap((server) =>
      secretsOfOwn(server.type === "stdio" ? server.env : server.headers),
    ),
    ...secretsOfVariables([...mcpVariables, ...servers.flatMap(variablesOf)], environment),
  ];
}
