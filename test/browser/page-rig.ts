import { createClient, type Client } from "../../packages/client/src/index.ts";
import type { Session, WholeSession } from "../../packages/protocol/src/index.ts";
import { script, type Step } from "../../packages/server/src/providers/testing/script.ts";
import { scriptedCommand } from "../../packages/server/src/providers/testing/scripted-provider.ts";
import path from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import {
  prepareFolder,
  removeFolder,
  startHoldfast,
  type RunningServer,
} from "../e2e/holdfast-process.ts";
import { openBrowser } from "./browser.ts";
import { watchPage, type PageWatch } from "./page-watch.ts";

/** A server of its own and a real browser in front of it. */
export interface PageRig {
  readonly client: Client;
  readonly url: string;
  /** Itself a repository, and where others may be. */
  readonly root: string;
  /** A file that no agent has seen yet: `waitFor` it, and write it when the agent may go on. */
  gate(): string;
  newSession(options?: NewSession): Promise<Session>;
  /** The session as soon as it is so. */
  until(id: string, isSo: (session: WholeSession) => boolean): Promise<WholeSession>;
  /** A page in a browser where nobody has been before, or in that of another page. */
  open(address: string, options?: OpenOptions): Promise<Page>;
  /** Ends the server; `start` brings it back at the same address. */
  stop(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
  /** Closes the pages and removes the sessions; throws when a page has complained. */
  clear(options?: { readonly keepSessions?: boolean }): Promise<void>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly title?: string;
  readonly provider?: "scripted" | "demo";
  /** What the scripted agent does with the first message. */
  readonly steps?: readonly Step[];
  readonly message?: string;
  /** A repository inside the root; the root itself unless told. */
  readonly repo?: string;
}

export interface OpenOptions {
  readonly phone?: boolean;
  readonly dark?: boolean;
  /** What the page may do, such as `notifications`. */
  readonly allow?: readonly string[];
  /** For people who want nothing to move. */
  readonly calm?: boolean;
  /** With its service worker, whose requests cannot be watched. */
  readonly worker?: boolean;
  /** Another server's address, where it is not this one's. */
  readonly at?: string;
  /** Another tab beside this page. */
  readonly beside?: Page;
  /** Run in the page before anything of its own. */
  readonly before?: () => void;
  /** Complaints of the browser that belong to what is tried. */
  readonly expected?: RegExp;
}

const WIDE = { width: 1280, height: 800 } as const;
const PHONE = { width: 390, height: 844 } as const;
const WAIT_MS = 20_000;

export async function openPageRig({
  prepare = async () => {},
  token,
}: {
  /** Done with the data folder before the server starts. */
  readonly prepare?: (data: string) => Promise<void>;
  /** Without it the server answers nobody. */
  readonly token?: string;
} = {}): Promise<PageRig> {
  const browser = await openBrowser();
  const providers = { scripted: { type: "acp", title: "Scripted", command: scriptedCommand } };
  const { folder, data, root } = prepareFolder({ providers });
  await prepare(data);
  const env = {
    AGENT_WORKSPACE_ROOT: root,
    ...(token !== undefined && { HOLDFAST_TOKEN: token }),
  };
  let server: RunningServer | null = await startHoldfast({ data, env });
  const { url } = server;
  const client = createClient({ url, ...(token !== undefined && { token }) });
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
    until: async (id, isSo) => {
      for await (const { session } of client.sessions.follow(id)) if (isSo(session)) return session;
      throw new Error("the session was deleted");
    },
    open: async (address, options = {}) => {
      const { at = url, expected = null } = options;
      const context = options.beside?.context() ?? (await openContext(browser, at, options));
      const page = await context.newPage();
      watches.push(watchPage(page, { url: at, expected }));
      await page.goto(address);
      return page;
    },
    stop,
    start: async () => {
      const args = ["--port", new URL(url).port];
      server = await startHoldfast({ data, args, env });
    },
    clear: async ({ keepSessions = false } = {}) => {
      const complaints = watches.splice(0).flatMap(({ complaints: said }) => said());
      await Promise.all(browser.contexts().map((context) => context.close()));
      if (!keepSessions) await removeSessions(client);
      if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join("\n")}`);
    },
    close: async () => {
      await browser.close();
      await stop("SIGTERM");
      removeFolder(folder);
    },
  };
}

async function openContext(
  browser: Browser,
  url: string,
  { phone = false, dark = false, calm = false, worker = false, allow = [], before }: OpenOptions,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: phone ? PHONE : WIDE,
    hasTouch: phone,
    isMobile: phone,
    deviceScaleFactor: 1,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: calm ? "reduce" : "no-preference",
    permissions: [...allow],
    // What a worker answers cannot be watched.
    serviceWorkers: worker ? "allow" : "block",
  });
  context.setDefaultTimeout(WAIT_MS);
  if (before !== undefined) await context.addInitScript(before);
  return context;
}

async function removeSessions(client: Client): Promise<void> {
  const status = ["active", "suspended", "archived", "error"] as const;
  const { sessions } = await client.sessions.list({ status: [...status], limit: 100 });
  await Promise.all(sessions.map(({ id }) => client.sessions.delete(id)));
}
