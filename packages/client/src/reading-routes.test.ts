import { expect, it } from "vitest";
import { createClient } from "./checked-client.ts";
import type { Client } from "./client.ts";
import { AT, RUN } from "./testing/session-model.ts";
import { openTestServer } from "./testing/test-server.ts";

const WHOLE_RUN = { ...RUN, suspensions: [], answer: "Done.", answerCut: false, step: "ls" };
const HISTORY = {
  messages: [{ seq: 3, role: "agent", timestamp: AT, text: "Done.", cut: 0 }],
  leftOut: 2,
};

it.each<[string, (client: Client) => Promise<unknown>, unknown]>([
  ["GET /api/sessions/s/runs/r%2F1", ({ sessions }) => sessions.run("s", "r/1"), WHOLE_RUN],
  [
    "GET /api/sessions/s/history?limit=1&search=done",
    ({ sessions }) => sessions.history("s", { limit: 1, search: "done" }),
    HISTORY,
  ],
])("sends %s (D6)", async (request, ask, reply) => {
  const requests: unknown[] = [];
  const server = await openTestServer(async (incoming, response) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    response.end(JSON.stringify(reply));
  });
  try {
    expect(await ask(createClient({ url: server.url }))).toEqual(reply);
    expect(requests).toEqual([request]);
  } finally {
    await server.close();
  }
});
