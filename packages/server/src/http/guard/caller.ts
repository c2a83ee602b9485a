import type { FastifyRequest } from "fastify";
import { includes, type Scope } from "../../domain/scope.ts";

/** The sender of a request that the guard let through. */
export type Caller =
  /** An API token, by its name. */
  | { readonly kind: "token"; readonly name: string; readonly scope: Scope }
  | { readonly kind: "server token" }
  /** A browser that is signed in; `tokenName` if it signed in with an API token. */
  | {
      readonly kind: "browser";
      readonly id: string;
      readonly tokenName: string | null;
      readonly scope: Scope;
    }
  /** A program of the server's user, on the Unix socket. */
  | { readonly kind: "socket" }
  /** Authentication is turned off. */
  | { readonly kind: "anyone" };

/** The commands send this as their User-Agent. These names are believed only of callers that have all rights anyway. */
export const COMMAND_LINE = "holdfast-command-line";

/** Editors that use Holdfast as an agent. */
export const EDITOR = "holdfast-editor";

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
  return userAgent.startsWith(EDITOR) ? "editor" : null;
}

/** Whether the caller of a route has all rights. */
export function isAdmin({ caller }: Pick<FastifyRequest, "caller">): boolean {
  return caller !== null && (!("scope" in caller) || includes(caller.scope, "admin"));
}

declare module "fastify" {
  interface FastifyRequest {
    /** Null for a request that needs no token. */
    caller: Caller | null;
  }
}
