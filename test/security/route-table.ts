/** The users of a route: anybody (`public`), the tools of the session's agent (`agent`), or a token with this scope. */
export type Access = "public" | "read" | "send" | "approve" | "admin" | "agent";

export interface Row {
  readonly access: Access;
  /** A valid body, if the route requires one. */
  readonly body?: unknown;
  /** A valid query, if the route requires one. */
  readonly query?: string;
  /** Content type of the body, if it is not JSON. */
  readonly type?: string;
  /** The status of an allowed request, with IDs that do not exist. */
  readonly passes: number;
}

const PAGE: Row = { access: "public", passes: 200 };
const MISSING: Row = { access: "read", passes: 404 };
const READABLE: Row = { access: "read", passes: 200 };

/** The access rule of each route. A route without a row fails the test. */
export const ROUTE_TABLE: Readonly<Record<string, Row>> = {
  "GET /": PAGE,
  "GET /index.html": PAGE,
  "GET /assets/:file": PAGE,
  "GET /docs": PAGE,
  "GET /openapi.json": PAGE,
  "GET /healthz": PAGE,
  "GET /readyz": READABLE,
  "GET /metrics": READABLE,
  "GET /api/sessions": READABLE,
  "POST /api/sessions": { access: "send", body: { repoId: "none" }, passes: 404 },
  "POST /api/sessions/import": {
    access: "admin",
    body: "{}",
    type: "application/jsonl",
    passes: 400,
  },
  "GET /api/removed": READABLE,
  "POST /api/removed/:id/restore": { access: "admin", body: {}, passes: 404 },
  "GET /api/sessions/:id": MISSING,
  "PATCH /api/sessions/:id": { access: "send", body: { title: "x" }, passes: 404 },
  "DELETE /api/sessions/:id": { access: "admin", passes: 404 },
  "GET /api/sessions/:id/messages": MISSING,
  "GET /api/sessions/:id/messages/:messageId/output": MISSING,
  "POST /api/sessions/:id/messages": { access: "send", body: { text: "x" }, passes: 404 },
  "POST /api/sessions/:id/prompt": { access: "send", body: { text: "x" }, passes: 404 },
  "GET /api/sessions/:id/raw": { access: "admin", passes: 404 },
  "GET /api/sessions/:id/history": MISSING,
  "GET /api/sessions/:id/runs": MISSING,
  "GET /api/sessions/:id/runs/:runId": MISSING,
  "POST /api/sessions/:id/runs/:runId/dismiss": { access: "approve", body: {}, passes: 404 },
  "GET /api/sessions/:id/options": MISSING,
  "GET /api/sessions/:id/queue": MISSING,
  "PATCH /api/sessions/:id/queue/:messageId": {
    access: "send",
    body: { text: "x" },
    passes: 404,
  },
  "DELETE /api/sessions/:id/queue/:messageId": { access: "send", passes: 404 },
  "POST /api/sessions/:id/cancel": { access: "send", body: {}, passes: 404 },
  "POST /api/sessions/:id/resume": { access: "approve", body: {}, passes: 404 },
  "POST /api/sessions/:id/archive": { access: "admin", body: {}, passes: 404 },
  "POST /api/sessions/:id/finalize": {
    access: "send",
    body: { outcome: "completed" },
    passes: 404,
  },
  "POST /api/sessions/:id/fail": { access: "admin", body: { reason: "x" }, passes: 404 },
  "POST /api/sessions/:id/fork": { access: "send", body: {}, passes: 404 },
  "GET /api/sessions/:id/changes": MISSING,
  "GET /api/sessions/:id/changes/file": { ...MISSING, query: "?path=a" },
  "GET /api/sessions/:id/changes/patch": MISSING,
  "POST /api/sessions/:id/rewind": { access: "send", body: { run: "last" }, passes: 404 },
  "GET /api/sessions/:id/branch": MISSING,
  "POST /api/sessions/:id/commit": { access: "approve", body: {}, passes: 404 },
  "POST /api/sessions/:id/merge": { access: "approve", body: {}, passes: 404 },
  "POST /api/sessions/:id/rebase": { access: "approve", body: {}, passes: 404 },
  "POST /api/sessions/:id/push": { access: "admin", body: {}, passes: 404 },
  "POST /api/sessions/:id/pull-request": { access: "admin", body: {}, passes: 404 },
  "GET /api/sessions/:id/should-resume": READABLE,
  "GET /api/sessions/:id/events": MISSING,
  "GET /api/sessions/:id/export": MISSING,
  "GET /api/sessions/:id/grants": MISSING,
  "DELETE /api/sessions/:id/grants/:grantId": { access: "approve", passes: 404 },
  "GET /api/suspensions": READABLE,
  "GET /api/stats": READABLE,
  "GET /api/events": READABLE,
  "POST /api/events/:name": { access: "send", body: {}, passes: 200 },
  "GET /api/providers": READABLE,
  "PATCH /api/providers": { access: "admin", body: { defaultProvider: "none" }, passes: 400 },
  "GET /api/providers/:name/login": { access: "admin", passes: 400 },
  "POST /api/providers/:name/login": { access: "admin", body: {}, passes: 400 },
  "DELETE /api/providers/:name/login": { access: "admin", passes: 400 },
  "POST /api/providers/:name/logout": { access: "admin", body: {}, passes: 400 },
  "GET /api/repos": READABLE,
  "GET /api/repos/found": { access: "admin", passes: 200 },
  "POST /api/repos": { access: "admin", body: { path: "/nowhere" }, passes: 403 },
  "DELETE /api/repos/:id": { access: "admin", passes: 404 },
  "GET /api/repos/:id/files": MISSING,
  "GET /api/token": READABLE,
  "GET /api/tokens": { access: "admin", passes: 200 },
  "POST /api/tokens": { access: "admin", body: { name: "x", scope: "read" }, passes: 201 },
  "DELETE /api/tokens/:id": { access: "admin", passes: 404 },
  "POST /api/sign-in": { access: "public", body: { code: "x" }, passes: 401 },
  "POST /api/sign-out": { access: "read", body: {}, passes: 200 },
  "POST /api/sign-in-codes": { access: "admin", body: {}, passes: 201 },
  "GET /api/browsers": { access: "admin", passes: 200 },
  "DELETE /api/browsers": { access: "admin", passes: 200 },
  "DELETE /api/browsers/:id": { access: "admin", passes: 200 },
  "GET /api/nodes": READABLE,
  "POST /api/database/check": { access: "admin", passes: 200 },
  "POST /api/nodes/:id/drain": { access: "admin", body: {}, passes: 404 },
  "POST /api/agent/sessions/:id/phase": {
    access: "agent",
    body: { phase: "planning" },
    passes: 404,
  },
  "POST /api/agent/sessions/:id/questions": {
    access: "agent",
    body: { question: "x" },
    passes: 404,
  },
  "POST /api/agent/sessions/:id/events": {
    access: "agent",
    body: { name: "x" },
    passes: 404,
  },
  "GET /api/agent/sessions/:id/history": { access: "agent", passes: 404 },
  "GET /api/agent/sessions/:id/work": { access: "agent", passes: 404 },
  "POST /api/agent/sessions/:id/work": {
    access: "agent",
    body: { tool: "push_branch" },
    passes: 404,
  },
  "POST /api/agent/sessions/:id/mcp": {
    access: "agent",
    body: { jsonrpc: "2.0", method: "notifications/initialized" },
    passes: 404,
  },
  "GET /api/agent/sessions/:id/mcp": { access: "agent", passes: 405 },
  "DELETE /api/agent/sessions/:id/mcp": { access: "agent", passes: 405 },
  // Without a connection; what an editor does in one needs the scopes of the same requests to the API.
  "POST /acp": {
    access: "read",
    body: { jsonrpc: "2.0", id: 1, method: "session/list" },
    passes: 400,
  },
  "GET /acp": { access: "read", passes: 406 },
  "DELETE /acp": { access: "read", passes: 400 },
};
