import { ConnectionError, errorText, HoldfastError, type Client } from "@holdfast/client";
import { TOKEN_SCOPES, type OwnToken, type TokenScope } from "@holdfast/protocol";
import { persist } from "../persist.ts";

/** Who calls: the API with the rights of the token, and how long a call may wait for a server that restarts. */
export interface Caller {
  readonly client: Client;
  /** What the token may do. It may change while a connection is open. */
  rights(): Promise<OwnToken>;
  /** Repeats the call while the server does not answer. A call that writes needs an idempotency key. */
  ask<Result>(call: (client: Client) => Promise<Result>, signal: AbortSignal): Promise<Result>;
  readonly newKey: () => string;
}

/** How long a call waits for a server that does not answer, such as one that restarts. */
const PATIENCE_MS = 60_000;

export function createCaller(client: Client, newKey: () => string): Caller {
  return {
    client,
    newKey,
    rights: () => client.ownToken(),
    ask: (call, signal) => persist(() => call(client), { signal, patienceMs: PATIENCE_MS }),
  };
}

export function mayUse({ scope }: Pick<OwnToken, "scope">, needed: TokenScope): boolean {
  return TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(needed);
}

/** The sentence for the program or the model that called. */
export function reasonOf(error: unknown): string {
  if (error instanceof HoldfastError) return error.detail;
  if (error instanceof ConnectionError)
    return `The Holdfast server does not answer: ${error.message}`;
  return errorText(error);
}
