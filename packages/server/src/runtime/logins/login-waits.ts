import type { Json } from "../../domain/json.ts";
import type { Store, StoredSuspension } from "../../storage/store.ts";
import type { Log } from "../log.ts";
import type { Reply } from "../reply.ts";

/** Lets runs go on that wait for a login. */
export interface LoginWaits {
  /** A run is about to wait for a login of this provider. */
  expect(provider: string): void;
  /** An agent of the provider has completed a run, so somebody is logged in. */
  confirm(provider: string): void;
  /** The server has started, perhaps with other keys: all runs that can go on try again. */
  retryAll(): Promise<void>;
  /** Lets all runs of the provider go on, in all sessions. Returns their number. */
  release(provider: string, by: string): Promise<number>;
}

interface LoginRetry {
  readonly sessionId: string;
  readonly suspensionId: string;
  readonly answer: Json;
  readonly by: string;
}

export interface LoginWaitsOptions {
  readonly store: Pick<Store, "openSuspensions" | "load">;
  readonly answer: (request: LoginRetry) => Promise<Reply<object>>;
  readonly log: Log;
}

/** Sessions answered at the same time. */
const AT_ONCE = 16;
const RETRY: Json = { action: "retry" };

export function createLoginWaits(options: LoginWaitsOptions): LoginWaits {
  const { store, answer, log } = options;
  /** Providers for which no run waits. After a start that is not known of any. */
  const settled = new Set<string>();
  const releaseOne = async (suspension: StoredSuspension, by: string): Promise<number> => {
    const { sessionId, id: suspensionId } = suspension;
    const reply = await answer({ sessionId, suspensionId, answer: RETRY, by });
    if (reply.ok) return 1;
    log.warn({ sessionId, problem: reply.refusal }, "a session could not go on after a login");
    return 0;
  };
  /** Whether the session can go on here. */
  const isActive = async (sessionId: string): Promise<boolean> => {
    const loaded = await store.load(sessionId);
    return loaded.found === "session" && loaded.stored.session.standing.status === "active";
  };
  const waits = async (): Promise<readonly StoredSuspension[]> =>
    (await store.openSuspensions()).filter(({ kind }) => kind === "login");
  const release = async (provider: string, by: string): Promise<number> => {
    settled.add(provider);
    const waiting = (await waits()).filter(({ request }) => request["provider"] === provider);
    let released = 0;
    for (let start = 0; start < waiting.length; start += AT_ONCE) {
      const part = waiting.slice(start, start + AT_ONCE);
      const numbers = await Promise.all(part.map((suspension) => releaseOne(suspension, by)));
      released += numbers.reduce((sum, each) => sum + each, 0);
    }
    return released;
  };
  return {
    expect: (provider) => void settled.delete(provider),
    confirm: (provider) => {
      if (settled.has(provider)) return;
      release(provider, BY_LOGIN).catch((err: unknown) => {
        settled.delete(provider);
        log.error({ provider, err }, "sessions that wait for a login could not go on");
      });
    },
    retryAll: async () => {
      for (const suspension of await waits())
        if (await isActive(suspension.sessionId)) await releaseOne(suspension, BY_START);
    },
    release,
  };
}

const BY_START = "start of the server";
/** Who answered, if a login did. */
export const BY_LOGIN = "login";
