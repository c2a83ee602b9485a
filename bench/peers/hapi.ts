import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import type { FirstRequest } from "../floor/contender.ts";
import { openConnection, requestJson, type Headers } from "../floor/raw-http.ts";
import { cpuMsOfAll } from "../process-stat.ts";
import { LAST_MESSAGES, type Peer, type PeerServer } from "./peer.ts";
import {
  environmentIn,
  familyOf,
  killAll,
  startProcess,
  startServer,
  type PeerProcess,
} from "./peer-process.ts";

const TOKEN = "token-of-the-benchmark-on-loopback";
const BY_TOKEN: Headers = { authorization: `Bearer ${TOKEN}` };
const POLL_MS = 20;

interface Options {
  readonly name: string;
  readonly program: string;
  readonly folder: string;
  /** The agent of the floor. */
  readonly agent: readonly [string, ...string[]];
}

/** Where sessions run: a process of HAPI for each, with the agent as its child. It outlives the hub. */
type Runners = Map<string, ReturnType<typeof startProcess>>;

/** HAPI: a hub, which stores, and its command line, which runs the agents. */
export function hapiPeer({ name, program, folder, agent }: Options): Peer {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  const runners: Runners = new Map();
  const [agentProgram, ...agentArgs] = agent;
  let port = 0;
  return {
    name,
    shows: "turns",
    takesFlood: false,
    start: async (first) => {
      // Runners of an earlier hub connect to its port again.
      if (port === 0) port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const env = {
        ...environmentIn(home),
        HAPI_HOME: path.join(home, "hapi"),
        CLI_API_TOKEN: TOKEN,
        HAPI_LISTEN_HOST: "127.0.0.1",
        HAPI_LISTEN_PORT: String(port),
        HAPI_API_URL: url,
        HAPI_IOS_PUSH: "off",
        HAPI_DSH_ACP_COMMAND: agentProgram,
        HAPI_DSH_ACP_ARGS_JSON: JSON.stringify(agentArgs),
      };
      const hub = await startServer(
        { command: [program, "hub"], folder: home, env },
        { port, first: first === "session" ? newSession() : { method: "GET", path: "/health" } },
      );
      const headers = await signIn(url);
      const startRunner = (work: string) =>
        startProcess({
          command: [program, "dsh", "--started-by", "runner", "--hapi-starting-mode", "remote"],
          folder: work,
          env,
        });
      return serverOf(hub, { headers, runners, startRunner, folder });
    },
  };
}

let created = 0;

/** What its command line sends before it starts an agent. */
function newSession(): FirstRequest {
  created += 1;
  const tag = `bench-${process.pid}-${created}`;
  const metadata = { path: "/", host: "bench" };
  return { method: "POST", path: "/cli/sessions", body: { tag, metadata }, headers: BY_TOKEN };
}

async function signIn(url: string): Promise<Headers> {
  const connection = await openConnection(url);
  const { token } = await requestJson<{ readonly token: string }>(connection, {
    method: "POST",
    path: "/api/auth",
    body: { accessToken: TOKEN },
  });
  connection.close();
  return { authorization: `Bearer ${token}` };
}

interface Listed {
  readonly id: string;
  readonly active: boolean;
  readonly metadata: { readonly path?: string } | null;
}

function serverOf(
  { url, pid, answeredMs, kill }: PeerProcess,
  {
    headers,
    runners,
    startRunner,
    folder,
  }: {
    readonly headers: Headers;
    readonly runners: Runners;
    readonly startRunner: (work: string) => ReturnType<typeof startProcess>;
    readonly folder: string;
  },
): PeerServer {
  const untilActive = async (isWanted: (session: Listed) => boolean): Promise<string> => {
    const connection = await openConnection(url);
    for (;;) {
      const { sessions } = await requestJson<{ readonly sessions: readonly Listed[] }>(connection, {
        path: "/api/sessions?limit=20&order=updatedAt",
        headers,
      });
      const found = sessions.find((session) => session.active && isWanted(session));
      if (found !== undefined) {
        connection.close();
        return found.id;
      }
      await pause(POLL_MS);
    }
  };
  const endRunner = (id: string): void => {
    const runner = runners.get(id);
    if (runner !== undefined) killAll(familyOf(runner.pid));
    runners.delete(id);
  };
  return {
    url,
    answeredMs,
    headers,
    pid,
    cpuMs: async () => cpuMsOfAll([pid, ...[...runners.values()].map((runner) => runner.pid)]),
    newSession,
    open: async () => {
      created += 1;
      const work = path.join(folder, `work-${created}`);
      mkdirSync(work);
      const runner = startRunner(work);
      const own = realpathSync(work);
      const id = await untilActive(({ metadata }) => metadata?.path === own);
      runners.set(id, runner);
      return id;
    },
    reopen: async (id) => void (await untilActive((session) => session.id === id)),
    close: async (id) => endRunner(id),
    message: (id, text) => ({
      method: "POST",
      path: `/api/sessions/${id}/messages`,
      body: { text },
      headers,
    }),
    events: (id) => `/api/events?sessionId=${id}`,
    read: (event) => {
      if (!event.includes('"type":"message-received"')) return null;
      if (event.includes('"data":{"type":"ready"}')) return "end";
      return event.includes('"role":"agent"') ? "text" : null;
    },
    lastMessages: async (id) => ({
      method: "GET",
      path: `/api/sessions/${id}/messages?limit=${LAST_MESSAGES}`,
      headers,
    }),
    history: (id) => ({ method: "GET", path: `/api/sessions/${id}/messages?limit=200`, headers }),
    kill,
    stop: async () => {
      await kill();
      for (const id of runners.keys()) endRunner(id);
    },
  };
}
