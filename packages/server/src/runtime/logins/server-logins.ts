import { errorText } from "../../domain/error-text.ts";
import type { LoginAgent, LoginPage } from "../../providers/login.ts";
import { AgentFault, type Provider } from "../../providers/provider.ts";
import type { Log } from "../log.ts";
import { refuse, type Refused, type Reply } from "../reply.ts";
import { BY_LOGIN, type LoginWaits } from "./login-waits.ts";

/** A login that the server does with an agent, for a person elsewhere. Page and code are kept in memory only. */
export type LoginProgress =
  | { readonly state: "none" }
  | { readonly state: "starting" }
  | { readonly state: "waiting"; readonly page: LoginPage }
  /** `released`: the number of runs that went on. */
  | { readonly state: "done"; readonly released: number }
  | { readonly state: "failed"; readonly message: string };

type LoginReply = Promise<Reply<{ readonly login: LoginProgress }>>;

export interface ServerLogins {
  /** Without a method: somebody has logged in, so the runs that wait for it go on. */
  logIn(request: { readonly provider: string; readonly method: string | null }): LoginReply;
  readLogin(provider: string): LoginReply;
  cancelLogin(provider: string): LoginReply;
  logOut(provider: string): LoginReply;
}

export interface ServerLoginsOptions {
  readonly provider: (name: string) => Provider | null;
  readonly waits: LoginWaits;
  readonly log: Log;
  /** False for commands without a server. */
  readonly startsAgents: boolean;
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
}

/** A code of a device login is valid for 15 minutes at most services. */
const LOGIN_MS = 15 * 60_000;
const NONE: LoginProgress = { state: "none" };

interface Attempt {
  progress: LoginProgress;
  readonly abort: AbortController;
}

export function createServerLogins(options: ServerLoginsOptions): ServerLogins {
  const { waits, log } = options;
  /** The latest attempt of each provider. */
  const attempts = new Map<string, Attempt>();

  const loginsOf = (name: string): LoginStarter | Refused => {
    const provider = options.provider(name);
    if (provider === null) return refuse("provider_unknown", `There is no provider "${name}".`);
    const { startLogin } = provider;
    if (startLogin !== undefined && options.startsAgents) return (start) => startLogin(start);
    return refuse("login_unavailable", `The provider "${name}" has no login.`);
  };
  const release = async (name: string): Promise<LoginProgress> => ({
    state: "done",
    released: await waits.release(name, BY_LOGIN),
  });
  const begin = async (name: string, method: string, start: LoginStarter): LoginReply => {
    attempts.get(name)?.abort.abort();
    const attempt: Attempt = { progress: { state: "starting" }, abort: new AbortController() };
    attempts.set(name, attempt);
    const signal = AbortSignal.any([
      attempt.abort.signal,
      options.stopping,
      AbortSignal.timeout(LOGIN_MS),
    ]);
    const known = Promise.withResolvers<Refused | null>();
    const onPage = (page: LoginPage): void => {
      attempt.progress = { state: "waiting", page };
      known.resolve(null);
    };
    const work = async (): Promise<void> => {
      let agent: LoginAgent | null = null;
      try {
        agent = await start({ signal, onPage, isAtTerminal: false });
        const refused = refuseMethod(name, agent, method);
        if (refused !== null) {
          attempt.progress = NONE;
          return known.resolve(refused);
        }
        await agent.logIn(method);
        attempt.progress = await release(name);
        await agent.status();
      } catch (error) {
        if (!(error instanceof AgentFault))
          log.error({ provider: name, err: error }, "a login failed");
        if (attempt.progress.state !== "done")
          attempt.progress = { state: "failed", message: errorText(error) };
      } finally {
        known.resolve(null);
        await agent?.stop();
      }
    };
    void work();
    return (await known.promise) ?? { ok: true, login: attempt.progress };
  };

  return {
    logIn: async ({ provider: name, method }) => {
      if (method === null) {
        if (options.provider(name) === null)
          return refuse("provider_unknown", `There is no provider "${name}".`);
        return { ok: true, login: await release(name) };
      }
      const start = loginsOf(name);
      return "ok" in start ? start : begin(name, method, start);
    },
    readLogin: async (name) => {
      const start = loginsOf(name);
      return "ok" in start ? start : { ok: true, login: attempts.get(name)?.progress ?? NONE };
    },
    cancelLogin: async (name) => {
      const start = loginsOf(name);
      if ("ok" in start) return start;
      attempts.get(name)?.abort.abort();
      attempts.delete(name);
      return { ok: true, login: NONE };
    },
    logOut: async (name) => {
      const start = loginsOf(name);
      if ("ok" in start) return start;
      attempts.get(name)?.abort.abort();
      attempts.delete(name);
      let agent: LoginAgent | null = null;
      try {
        agent = await start({ signal: options.stopping, onPage: () => {}, isAtTerminal: false });
        if (!agent.canLogOut)
          return refuse("login_unavailable", `The agent "${name}" does not offer to log out.`);
        await agent.logOut();
        await agent.status();
        return { ok: true, login: NONE };
      } catch (error) {
        if (!(error instanceof AgentFault)) throw error;
        return { ok: true, login: { state: "failed", message: error.message } };
      } finally {
        await agent?.stop();
      }
    },
  };
}

type LoginStarter = NonNullable<Provider["startLogin"]>;

function refuseMethod(name: string, { methods, isReady }: LoginAgent, id: string): Refused | null {
  const method = methods.find((each) => each.id === id);
  if (method === undefined) {
    const ids = methods.map((each) => each.id).join(", ");
    return refuse("login_unavailable", `The agent has no login method "${id}". It has: ${ids}.`);
  }
  switch (method.how) {
    case "agent":
      return null;
    case "terminal":
      return refuse(
        "login_unavailable",
        `This login needs a terminal on the server's machine: holdfast login ${name} --method ${id}`,
      );
    case "variable":
      return isReady(id)
        ? null
        : refuse("login_unavailable", "This login needs a variable that the server does not have.");
    default:
      return method.how satisfies never;
  }
}
