import { mkdirSync } from "node:fs";
import path from "node:path";
import { createClient, type Client, type StreamEvent } from "../../../packages/client/src/index.ts";
import type { RunName } from "../../../packages/server/src/doors/mcp/surface.ts";
import {
  say,
  script,
  silent,
  type Step,
} from "../../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../../packages/server/src/providers/testing/scripted-provider.ts";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../../e2e/holdfast-process.ts";

/** A server whose agents do the work of the fixture's tools. */
export interface FixtureWork {
  readonly server: RunningServer;
  readonly client: Client;
  /** A run that was cut by a crash of the server. */
  readonly interrupted: RunName;
  /** Begins a run in an idle session, or in a new one, and waits for one of its events. */
  begin(
    steps: readonly Step[],
    until: (event: StreamEvent) => boolean,
    signal: AbortSignal,
  ): Promise<RunName>;
  end(): Promise<void>;
}

export async function openFixtureWork(): Promise<FixtureWork> {
  const { folder, data, root } = prepareFolder({
    providers: { scripted: { type: "acp", command: scriptedCommand } },
    // A crash of the server is the end of its agents, and so of their runs.
    agents: { host: "inside" },
  });
  mkdirSync(path.join(root, "src"), { recursive: true });
  const start = (): Promise<RunningServer> =>
    startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: root } });
  const first = await start();
  const interrupted = await begin(createClient(first), [say("at work"), silent()], isOutput);
  await first.end("SIGKILL");
  const server = await start();
  const client = createClient(server);
  for await (const { session } of client.sessions.follow(interrupted.sessionId))
    if (session.state === "idle") break;
  return {
    server,
    client,
    interrupted,
    begin: (steps, until, signal) => begin(client, steps, until, signal),
    async end() {
      await server.end("SIGTERM");
      removeFolder(folder);
    },
  };
}

/** What an agent says or does. */
export function isOutput(event: StreamEvent): boolean {
  return (
    event.type === "message" && (event.data.role === "agent" || event.data.content.type === "tool")
  );
}

async function begin(
  client: Client,
  steps: readonly Step[],
  until: (event: StreamEvent) => boolean,
  signal?: AbortSignal,
): Promise<RunName> {
  const options = signal === undefined ? {} : { signal };
  const sessionId = await idleSession(client);
  const { lastEventId } = await client.sessions.get(sessionId, { tail: 1 });
  const { run } = await client.sessions.send(sessionId, { text: script(...steps) });
  for await (const event of client.sessions.events(sessionId, { after: lastEventId, ...options }))
    if (until(event)) break;
  return { sessionId, runId: run.id };
}

/** An agent that is at hand begins sooner. */
async function idleSession({ sessions, repos }: Client): Promise<string> {
  const [idle] = (await sessions.list({ state: ["idle"] })).sessions;
  if (idle !== undefined) return idle.id;
  const repo = await repos.add({ path: "." });
  return (await sessions.create({ repoId: repo.id, provider: "scripted" })).id;
}
