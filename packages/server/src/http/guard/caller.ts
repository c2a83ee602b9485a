import type { FastifyRequest } from "fastify";
import { includes, type Scope } from "../../domain/scope.ts";
import type { FoundToken } from "../../runtime/tokens/access-tokens.ts";
import type { Browser } from "../../runtime/tokens/browsers.ts";

/** The sender of a request that the guard let through. */
export type Caller =
  /** An API token. */
  | ({ readonly kind: "token" } & FoundToken)
  | { readonly kind: "server token" }
  /** A browser that is signed in; `tokenName` if it signed in with an API token. */
  | ({ readonly kind: "browser" } & Pick<Browser, "id" | "tokenName" | "scope" | "expiresAt">)
  /** A program of the server's user, on the Unix socket. */
  | { readonly kind: "socket" }
  /** Authentication is turned off. */
  | { readonly kind: "anyone" };

/** The commands send this as their User-Agent. These names are believed only of callers that have all rights anyway. */
export const COMMAND_LINE = "holdfast-command-line";

/** Editors that use Holdfast as an agent. */
export const EDITOR = "holdfast-editor";

/** Orchestrators that use the Model Context Protocol. */
export const ORCHESTRATOR = "holdfast-orchestrator";

/** The author of an answer, as it is recorded. */
export function authorOf({ caller, headers }: Pick<FastifyRequest, "caller" | "headers">): string {
  switch (caller?.kind) {
    case "token":
      return `token: ${caller.name}`;
    case "browser":
      return caller.tokenName === null ? "browser" : `token: ${caller.tokenName}`;
    case "server token":
    case "socket":
      return programOf(headers["user-agent"]) ?? caller.kind;
    case "anyone":
      return "anyone (no authentication)";
    case undefined:
      throw new Error("unreachable: the guard names the caller of every route that needs a token");
    default:
      return caller satisfies never;
  }
}

function programOf(userAgent = ""): string | null {
  if (userAgent.startsWith(COMMAND_LINE)) return "command line";
  if (userAgent.startsWith(ORCHESTRATOR)) return "orchestrator";
  return userAgent.startsWith(EDITOR) ? "editor" : null;
}

/** Whether the caller of a route has this scope. */
export function hasScope({ caller }: Pick<FastifyRequest, "caller">, needed: Scope): boolean {
  return caller !== null && includes(rightsOf(caller).scope, needed);
}

/** What a caller may do. */
export interface Rights {
  /** Of the API token; null if there is none. */
  readonly name: string | null;
  readonly scope: Scope;
  /** The only session it can use; null: no such limit. */
  readonly sessionId: string | null;
  readonly expiresAt: number | null;
}

export function rightsOf(caller: Caller): Rights {
  switch (caller.kind) {
    case "token":
      return caller;
    case "browser":
      return { ...caller, name: caller.tokenName, sessionId: null };
    case "server token":
    case "socket":
    case "anyone":
      return { name: null, scope: "admin", sessionId: null, expiresAt: null };
    default:
      return caller satisfies never;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null for a request that needs no token. */
    caller: Caller | null;
  }
}
