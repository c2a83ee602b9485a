import { createUncheckedClient, errorText, type Client } from "@holdfast/client";
import type { CommonFlags } from "../gateway/find-server.ts";
import { neutraliseLine } from "../terminal/neutralise.ts";
import { VERSION } from "../version.ts";
import { createServerFetch, type FindServer } from "./server-fetch.ts";

/** The API of the server that the flags name, for a program that another one starts and talks to over pipes. */
export interface StdioApi {
  readonly client: Client;
  /** Begins to load what finds the server, which is most of the program. */
  readonly prepare: () => void;
  /** Rejects when the flags name no server. */
  readonly failed: Promise<never>;
}

export function openStdioApi(flags: CommonFlags, program: string): StdioApi {
  const failed = Promise.withResolvers<never>();
  let loading: Promise<FindServer> | null = null;
  const load = (): Promise<FindServer> => {
    loading ??= loadFinder(flags);
    loading.catch(failed.reject);
    return loading;
  };
  const client = createUncheckedClient({
    url: "http://localhost",
    fetch: createServerFetch(async () => (await load())(), `${program}/${VERSION}`),
  });
  return { client, prepare: () => void load(), failed: failed.promise };
}

async function loadFinder(flags: CommonFlags): Promise<FindServer> {
  const { findOrStartOnce } = await import("./find-or-start.ts");
  return findOrStartOnce(flags, log);
}

/** Who started the program keeps stderr as its log; stdout is only for the protocol. */
export function log(text: string, error?: unknown): void {
  const reason = error === undefined ? "" : `: ${errorText(error)}`;
  process.stderr.write(`holdfast: ${neutraliseLine(text + reason)}\n`);
}
