import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { Session, WholeSession } from "../../packages/protocol/src/index.ts";
import { script, type Step } from "../../packages/server/src/providers/testing/script.ts";
import {
  SCRIPTED_VARIABLE,
  type ScriptedOptions,
} from "../../packages/server/src/providers/testing/scripted-options.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import path from "node:path";
import type { Page } from "playwright-core";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { openBrowser } from "./browser.ts";
import { openPagePool, type ContextOptions } from "./page-pool.ts";
import { signInPage } from "./sign-in-page.ts";
import { watchPage, type PageWatch } from "./page-watch.ts";

/** A server and a real browser. */
export interface PageRig {
  readonly client: Client;
  readonly url: string;
  /** The workspace root, which is itself a repository. */
  readonly root: string;
  /** Path of a new gate file. The agent waits for it with `waitFor`; the test writes it to let the agent continue. */
  gate(): string;
  newSession(options?: NewSession): Promise<Session>;
  /** Resolves to the session once the condition holds. */
  until(id: string, condition: (session: WholeSession) => boolean): Promise<WholeSession>;
  /** Opens a page without stored data, or a tab beside another page. */
  open(address: string, options?: OpenOptions): Promise<Page>;
  /** Stops the server. `start` starts it again at the same address. */
  stop(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Resets the pages and removes the sessions. Throws if a page has reported errors. */
  clear(options?: { readonly keepSessions?: boolean }): Promise<void>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly title?: string;
  /** `scripted` (default), `demo`, or one of the rig's agents. */
  readonly provider?: string;
  /** The scripted agent's reaction to the first message. */
  readonly steps?: readonly Step[];
  readonly message?: string;
  /** A repository inside the root (default: the root itself). */
  readonly repo?: string;
}

export interface OpenOptions extends ContextOptions {
  /** Address of another server (default: the rig's own). */
  readonly at?: string;
  /** Whether the browser is signed in (default: yes, at the rig's own server). */
  readonly signIn?: boolean;
  /** Opens a tab in the browser context of this page. */
  readonly beside?: Page;
  /** Errors of the browser that the test expects. */
  readonly expected?: RegExp;
}

export async function openPageRig({
  agents = {},
  prepare = async () => {},
  token,
  auth = "token",
}: {
  /** Further scripted agents by name. */
  readonly agents?: Readonly<Record<string, ScriptedOptions & { readonly title?: string }>>;
  /** Prepares the data folder before the server starts. */
  readonly prepare?: (data: string) => Promise<void>;
  /** The server's token (default: one that it creates). */
  readonly token?: string;
  readonly auth?: "token" | "none";
} = {}): Promise<PageRig> {
  const { browser, release } = await openBrowser();
  const pages = openPagePool(browser);
  const scripted = { type: "acp", title: "Scripted", command: scriptedCommand };
  const others = Object.entries(agents).map(([name, { title = name, ...options }]) => [
    name,
    { ...scripted, title, env: { [SCRIPTED_VARIABLE]: JSON.stringify(options) } },
  ]);
  const providers = { scripted, ...Object.fromEntries(others) };
  const { folder, data, root } = prepareFolder({ providers });
  await prepare(data);
  const env = {
    AGENT_WORKSPACE_ROOT: root,
    HOLDFAST_AUTH: auth,
    ...(token !== undefined && { HOLDFAST_TOKEN: token }),
  };
  let server: RunningServer | null = await startHoldfast({ data, env });
  const { url } = server;
  const client = createClient(server);
  const watches: PageWatch[] = [];
  let gates = 0;

  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await server?.end(signal);
    server = null;
  };

  return {
    client,
    url,
    root,
    gate: () => path.join(root, `gate-${(gates += 1)}`),
    newSession: async ({ title, provider = "scripted", steps, message, repo = "." } = {}) => {
      const { id: repoId } = await client.repos.add({ path: repo });
      const text = steps === undefined ? message : script(...steps);
      return client.sessions.create({
        repoId,
        provider,
        ...(title !== undefined && { title }),
        ...(text !== undefined && { message: text }),
      });
    },
    until: async (id, condition) => {
      for await (const { session } of client.sessions.follow(id))
        if (condition(session)) return session;
      throw new Error("the session was deleted");
    },
    open: async (address, options = {}) => {
      const { at = url, expected = null } = options;
      const page = await (options.beside?.context().newPage() ?? pages.take(at, options));
      watches.push(watchPage(page, { url: at, expected }));
      const { beside, signIn = at === url && beside === undefined && auth === "token" } = options;
      if (signIn) await signInPage(page, { url: at, code: await client.signInCode() });
      await page.goto(address);
      return page;
    },
    stop,
    start: async () => {
      const args = ["--port", new URL(url).port];
      server = await startHoldfast({ data, args, env });
    },
    clear: async ({ keepSessions = false } = {}) => {
      const errors = watches.splice(0).flatMap((watch) => watch.end());
      await pages.reset();
      if (!keepSessions) await removeSessions(client);
      if (errors.length > 0) throw new Error(`The page reported errors:\n${errors.join("\n")}`);
    },
    close: async () => {
      await pages.close();
      await release();
      await stop("SIGTERM");
      removeFolder(folder);
    },
  };
}

async function removeSessions(client: Client): Promise<void> {
  const status = ["active", "suspended", "archived", "error"] as const;
  const { sessions } = await client.sessions.list({ status: [...status], limit: 100 });
  await Promise.all(sessions.map(({ id }) => client.sessions.delete(id)));
}
