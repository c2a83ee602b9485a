import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ask as askFor,
  script,
  waitFor,
} from "../../../packages/server/src/providers/testing/script.ts";
import { routesOf } from "../route-list.ts";
import { ROUTE_TABLE } from "../route-table.ts";
import { AGENT_TOKENS, openFuzzRig, WITH_TOKEN, type FuzzRig } from "./fuzz-rig.ts";
import { idPlaces, type IdPlace } from "./id-places.ts";

let rig: FuzzRig;
let ours: string;
/** A session with everything that can have an ID. */
let theirs: string;
let ids: {
  readonly queued: string;
  readonly delivered: string;
  readonly agentMessage: string;
  readonly run: string;
  readonly suspension: string;
  readonly closed: string;
  readonly grant: string;
};
let places: readonly IdPlace[];

interface CallResult {
  readonly status: number;
  readonly body: { readonly code?: string; readonly [key: string]: unknown };
}

async function call(
  method: string,
  url: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = WITH_TOKEN,
): Promise<CallResult> {
  const answer = await rig.wire.send({
    method,
    path: url,
    headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: JSON.parse(answer.body) };
}

beforeAll(async () => {
  rig = await openFuzzRig();
  const { test } = rig;
  ours = await test.createSession();
  theirs = await test.createSession();
  const edit = {
    id: "t1",
    title: "Edit a.txt",
    kind: "edit",
    input: { path: "a.txt" },
    options: [{ optionId: "always", name: "Always", kind: "allow_always" }],
  };
  const again = { id: "t2", title: "Run it", kind: "execute", input: { command: "ls" } };
  const never = waitFor(path.join(test.folder, "never"));
  const sent = await test.send(theirs, script(askFor(edit), askFor(again), never));
  const open = async (): Promise<string> => {
    const { session } = await test.until(theirs, (whole) => whole.session.state === "suspended");
    return session.suspensions[0]?.id ?? "";
  };
  const closed = await open();
  await call("POST", `/api/sessions/${theirs}/resume`, { suspensionId: closed, answer: "always" });
  const { messages } = await test.until(
    theirs,
    ({ session }) => session.state === "suspended" && session.suspensions[0]?.id !== closed,
  );
  const suspension = await open();
  const queued = await test.send(theirs, "waits");
  const { grants } = (await call("GET", `/api/sessions/${theirs}/grants`)).body as {
    readonly grants?: readonly { readonly id: string }[];
  };
  ids = {
    queued: queued.messageId,
    delivered: sent.messageId,
    agentMessage: messages.findLast(({ role }) => role !== "user")?.id ?? "",
    run: sent.run.id,
    suspension,
    closed,
    grant: grants?.[0]?.id ?? "",
  };
  places = idPlaces((await call("GET", "/openapi.json")).body);
});
afterAll(() => rig.close());

/** Further fields of a valid request, where the route's own example does not suffice. */
const COMPANIONS: Readonly<Record<string, readonly object[]>> = {
  "PATCH /api/sessions/:id/queue/:messageId": [{ text: "mine" }, { position: 0 }],
  "POST /api/sessions/:id/rewind": [{}],
  "POST /api/sessions/:id/resume": [{ answer: "allow" }, { answer: { optionId: "always" } }],
};

const UNKNOWN_ID = "019a82c4-7d3e-7a10-9c55-0b1f5f0c2a11";

describe("ids of another session", () => {
  it("exist for every kind of object", () => {
    expect(Object.entries(ids).filter(([, id]) => id === "")).toEqual([]);
    expect(new Set(Object.values(ids)).size).toBe(Object.keys(ids).length);
    expect(places.map(({ route, field }) => `${route} ${field ?? ""}`.trim())).toEqual(
      expect.arrayContaining([
        "PATCH /api/sessions/:id/queue/:messageId",
        "DELETE /api/sessions/:id/queue/:messageId",
        "DELETE /api/sessions/:id/grants/:grantId",
        "POST /api/sessions/:id/resume suspensionId",
        "POST /api/sessions/:id/fork atMessage",
      ]),
    );
  });

  it("are tested in every place of the router's list", () => {
    // The document describes HEAD with GET.
    const several = routesOf(rig.app)
      .filter(({ method }) => method !== "HEAD")
      .map(({ method, url }) => `${method} ${url}`)
      .filter((route) => route.split("/:").length > 2);
    const described = places.flatMap(({ route, field }) => (field === null ? [route] : []));
    expect(described.toSorted()).toEqual(several.toSorted());
  });

  it("are not found, like unknown ids, on every route with more than one", async () => {
    const before = await call("GET", `/api/sessions/${theirs}`);
    const grants = await call("GET", `/api/sessions/${theirs}/grants`);
    const own = await call("GET", `/api/sessions/${ours}`);
    for (const { route, field } of places) {
      const [method = "", url = ""] = route.split(" ");
      const companions = COMPANIONS[route] ?? [ROUTE_TABLE[route]?.body];
      for (const companion of companions) {
        const attempt = (id: string): Promise<CallResult> =>
          field === null
            ? call(method, url.replace(":id", ours).replace(/:\w+/u, id), companion)
            : call(method, url.replace(":id", ours), { ...Object(companion), [field]: id });
        const unknown = await attempt(UNKNOWN_ID);
        expect([route, companion, unknown.status, unknown.body.code]).toEqual([
          route,
          companion,
          404,
          expect.stringMatching(/^(?!session_)\w+_not_found$/u),
        ]);
        for (const id of [...Object.values(ids), theirs])
          expect([route, companion, id, await attempt(id)]).toEqual([
            route,
            companion,
            id,
            unknown,
          ]);
      }
    }
    expect(await call("GET", `/api/sessions/${theirs}`)).toEqual(before);
    expect(await call("GET", `/api/sessions/${theirs}/grants`)).toEqual(grants);
    expect(await call("GET", `/api/sessions/${ours}`)).toEqual(own);
  });

  it("are not found as sessions, on any session route", async () => {
    const routes = routesOf(rig.app).filter(
      ({ url, method }) => url.startsWith("/api/sessions/:id") && method !== "HEAD",
    );
    for (const { method, url } of routes) {
      const { body, passes, query = "" } = ROUTE_TABLE[`${method} ${url}`] ?? {};
      for (const id of Object.values(ids)) {
        const result = await call(
          method,
          `${url.replace(":id", id).replace(/:\w+/u, ids.queued)}${query}`,
          body,
        );
        const { code = null } = result.body;
        const expected = passes === 404 ? "session_not_found" : null;
        expect([method, url, result.status, code]).toEqual([method, url, passes, expected]);
      }
    }
  });

  it("are still known to their own session: late, not unknown", async () => {
    const there = `/api/sessions/${theirs}`;
    const edited = await call("PATCH", `${there}/queue/${ids.delivered}`, { text: "late" });
    const answered = await call("POST", `${there}/resume`, {
      suspensionId: ids.closed,
      answer: { optionId: "always" },
    });
    expect([edited.status, edited.body.code, answered.status]).toEqual([
      409,
      "message_not_queued",
      200,
    ]);
  });

  it("reveal nothing through a cursor of the other session's runs", async () => {
    await call("POST", `/api/sessions/${theirs}/messages`, { text: "one more" });
    const { nextCursor } = (await call("GET", `/api/sessions/${theirs}/runs?limit=1`)).body;
    expect(nextCursor).toEqual(expect.any(String));
    const { status, body } = await call(
      "GET",
      `/api/sessions/${ours}/runs?cursor=${encodeURIComponent(String(nextCursor))}`,
    );
    expect([400, 200]).toContain(status);
    expect(JSON.stringify(body)).not.toContain(theirs);
    expect(JSON.stringify(body)).not.toContain(ids.run);
  });

  it("are not accessible with the token of another session's agent", async () => {
    const headers = { authorization: `Bearer ${AGENT_TOKENS.of(ours)}` };
    const routes = routesOf(rig.app).filter(({ url }) => url.startsWith("/api/agent/"));
    expect(routes.length).toBeGreaterThanOrEqual(4);
    for (const { method, url } of routes.filter((route) => route.method !== "HEAD")) {
      const { body } = ROUTE_TABLE[`${method} ${url}`] ?? {};
      const result = await call(method, url.replace(":id", theirs), body, headers);
      expect([method, url, result.status]).toEqual([method, url, 401]);
    }
  });
});
