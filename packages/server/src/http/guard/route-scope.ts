import type { Scope } from "../../domain/scope.ts";

/** The scopes of routes that need more than `read`. The server does not start if a route that writes is missing here. */
const SCOPES: Readonly<Record<string, Scope>> = {
  "POST /api/sessions": "send",
  "PATCH /api/sessions/:id": "send",
  "POST /api/sessions/:id/messages": "send",
  "POST /api/sessions/:id/prompt": "send",
  "PATCH /api/sessions/:id/queue/:messageId": "send",
  "DELETE /api/sessions/:id/queue/:messageId": "send",
  "POST /api/sessions/:id/cancel": "send",
  "POST /api/events/:name": "send",
  "POST /api/sessions/:id/finalize": "send",
  "POST /api/sessions/:id/fork": "send",
  "POST /api/sessions/:id/rewind": "send",

  "POST /api/sessions/:id/resume": "approve",
  "POST /api/sessions/:id/runs/:runId/dismiss": "approve",
  "DELETE /api/sessions/:id/grants/:grantId": "approve",
  "POST /api/sessions/:id/commit": "approve",
  "POST /api/sessions/:id/merge": "approve",
  "POST /api/sessions/:id/rebase": "approve",

  "POST /api/sessions/:id/push": "admin",
  "POST /api/sessions/:id/pull-request": "admin",
  "DELETE /api/sessions/:id": "admin",
  "GET /api/sessions/:id/raw": "admin",
  "POST /api/sessions/:id/archive": "admin",
  "POST /api/sessions/:id/fail": "admin",
  "POST /api/sessions/import": "admin",
  "POST /api/removed/:id/restore": "admin",
  "POST /api/repos": "admin",
  "GET /api/repos/found": "admin",
  "PATCH /api/providers": "admin",
  // The code of a login is for the person who logs in.
  "GET /api/providers/:name/login": "admin",
  "POST /api/providers/:name/login": "admin",
  "DELETE /api/providers/:name/login": "admin",
  "POST /api/providers/:name/logout": "admin",
  "DELETE /api/repos/:id": "admin",
  "POST /api/nodes/:id/drain": "admin",
  "POST /api/database/check": "admin",
  // What an editor or an orchestrator does there needs the scopes of the same requests to the API.
  "POST /acp": "read",
  "DELETE /acp": "read",
  "POST /mcp": "read",
  "DELETE /mcp": "read",
  "POST /api/sign-in": "read",
  "POST /api/sign-out": "read",
  "POST /api/sign-in-codes": "admin",
  "GET /api/browsers": "admin",
  "DELETE /api/browsers": "admin",
  "DELETE /api/browsers/:id": "admin",
  "GET /api/tokens": "admin",
  "POST /api/tokens": "admin",
  "DELETE /api/tokens/:id": "admin",
};

export interface RouteName {
  readonly method: string;
  readonly url: string;
}

/** Null for a route that writes and is not listed. */
export function scopeOf({ method, url }: RouteName): Scope | null {
  const listed = method === "HEAD" ? "GET" : method;
  return SCOPES[`${listed} ${url}`] ?? (listed === "GET" ? "read" : null);
}
