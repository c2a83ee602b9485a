import { expect, it } from "vitest";
import { session, WIRE_SESSION } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

it("takes an orchestrator's name for a session wherever its id is taken (B1)", async () => {
  const asked: string[] = [];
  const app = await testApp({
    runtime: {
      findSession: async (name) => (name === "agent-1" ? "s1" : null),
      archive: async ({ sessionId }) => {
        asked.push(sessionId);
        return { ok: true, session: session() };
      },
    },
  });
  const archive = (name: string) =>
    app.inject({ method: "POST", url: `/api/sessions/${name}/archive`, payload: {} });
  expect((await archive("agent-1")).json()).toEqual(WIRE_SESSION);
  await archive("unknown");
  expect(asked).toEqual(["s1", "unknown"]);
});
