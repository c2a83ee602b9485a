import { describe, expect, it } from "vitest";
import { createAgentTokens } from "../guard/agent-token.ts";
import { testApp } from "../testing/test-app.ts";

const tokens = createAgentTokens();
const HISTORY = { ok: true as const, messages: [], leftOut: 0 };

const open = (token: string | null = null) =>
  testApp({
    token,
    agentTokens: tokens,
    runtime: { readHistory: async () => HISTORY, listSuspensions: async () => [] },
  });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("the routes for the tools of agents", () => {
  it.each([null, "s3cret"])(
    "accept only the token of the session if the server's token is %s",
    async (token) => {
      const app = await open(token);
      const statusFor = async (headers: Record<string, string>): Promise<number> =>
        (await app.inject({ url: "/api/agent/sessions/s1/history", headers })).statusCode;
      expect(await statusFor(bearer(tokens.of("s1")))).toBe(200);
      for (const headers of [
        {},
        bearer(tokens.of("s2")),
        bearer(createAgentTokens().of("s1")),
        bearer("s3cret"),
        bearer("x"),
        { authorization: tokens.of("s1") },
      ])
        expect(await statusFor(headers)).toBe(401);
    },
  );

  it("are the only ones that accept such a token", async () => {
    const app = await open("s3cret");
    const reply = await app.inject({ url: "/api/suspensions", headers: bearer(tokens.of("s1")) });
    expect([reply.statusCode, reply.json()]).toMatchObject([401, { code: "unauthorized" }]);
  });

  it("refuse everyone if there are no agent tokens", async () => {
    const app = await testApp();
    const reply = await app.inject({
      url: "/api/agent/sessions/s1/history",
      headers: bearer(tokens.of("s1")),
    });
    expect(reply.statusCode).toBe(401);
  });

  it("are protected against pages of other sites", async () => {
    const app = await open();
    const reply = await app.inject({
      url: "/api/agent/sessions/s1/history",
      headers: { ...bearer(tokens.of("s1")), origin: "https://evil.example" },
    });
    expect([reply.statusCode, reply.json()]).toMatchObject([403, { code: "origin_not_allowed" }]);
  });

  it.each([
    ["phase", {}, "phase"],
    ["phase", { phase: "lunch" }, "phase"],
    ["questions", { question: " " }, "question"],
    ["questions", { question: "x".repeat(10_001) }, "question"],
    ["questions", { question: "x", options: [""] }, "options"],
    ["questions", { question: "x", more: 1 }, "more"],
    ["events", { name: "" }, "name"],
    ["events", { name: "x", expiresInMinutes: 0 }, "expiresInMinutes"],
  ])("refuse %s with %j", async (where, body, field) => {
    const app = await open();
    const reply = await app.inject({
      method: "POST",
      url: `/api/agent/sessions/s1/${where}`,
      headers: bearer(tokens.of("s1")),
      payload: body,
    });
    expect(reply.statusCode).toBe(400);
    expect(JSON.stringify(reply.json())).toContain(field);
  });
});
