import { runsReplySchema } from "@holdfast/protocol";
import { describe, expect, it } from "vitest";
import type { ReadRuns } from "../../runtime/runtime.ts";
import { NOON, refusal, run } from "../testing/samples.ts";
import { testApp } from "../testing/test-app.ts";

describe("the runs of a session", () => {
  it("are listed with what became of them and who answered, a page at a time", async () => {
    const asked: ReadRuns[] = [];
    const app = await testApp({
      runtime: {
        readRuns: async (query) => {
          asked.push(query);
          return {
            ok: true,
            runs: [
              {
                ...run({ status: "completed", usage: { inputTokens: 3 }, endedAt: NOON + 5 }),
                suspensions: [
                  {
                    id: "q1",
                    runId: "r1",
                    kind: "permission",
                    status: "answered",
                    answer: { optionId: "allow_once" },
                    answeredBy: "ada",
                    createdAt: NOON + 2,
                    closedAt: NOON + 3,
                  },
                ],
              },
            ],
            next: query.after === undefined ? { at: NOON, id: "r1" } : null,
          };
        },
      },
    });
    const first = await app.inject("/api/sessions/s1/runs");
    const page = runsReplySchema.strict().parse(first.json());
    expect(page).toEqual({
      runs: [
        {
          id: "r1",
          sessionId: "s1",
          messageId: "m1",
          status: "completed",
          provider: "demo",
          model: null,
          attempts: 1,
          stopReason: null,
          error: null,
          usage: { inputTokens: 3 },
          memory: null,
          unusedAnswers: [],
          queuedAt: "2026-01-31T12:00:00.000Z",
          startedAt: "2026-01-31T12:00:00.001Z",
          endedAt: "2026-01-31T12:00:00.005Z",
          suspensions: [
            {
              id: "q1",
              kind: "permission",
              status: "answered",
              answer: { optionId: "allow_once" },
              answeredBy: "ada",
              createdAt: "2026-01-31T12:00:00.002Z",
              closedAt: "2026-01-31T12:00:00.003Z",
            },
          ],
        },
      ],
      nextCursor: expect.any(String),
    });
    const second = await app.inject(`/api/sessions/s1/runs?limit=5&cursor=${page.nextCursor}`);
    expect(second.json()).toMatchObject({ nextCursor: null });
    expect(asked).toEqual([
      { sessionId: "s1", limit: 20 },
      { sessionId: "s1", limit: 5, after: { at: NOON, id: "r1" } },
    ]);
  });

  it("are not found without their session, nor by a cursor of somebody else's", async () => {
    const app = await testApp({ runtime: { readRuns: async () => refusal() } });
    expect((await app.inject("/api/sessions/s1/runs")).statusCode).toBe(404);
    for (const query of ["cursor=nonsense", "limit=0", "limit=101", "limit=x"]) {
      const reply = await app.inject(`/api/sessions/s1/runs?${query}`);
      expect([query, reply.statusCode, reply.json().code]).toEqual([query, 400, "invalid_request"]);
    }
  });
});
