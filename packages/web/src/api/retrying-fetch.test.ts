import { describe, expect, it } from "vitest";
import type { ConnectionState } from "./connection.ts";
import { createRetryingFetch, delayAfter } from "./retrying-fetch.ts";
import { createStore } from "./store.ts";

type Answer = Response | Error;

function setUp(answers: readonly Answer[]) {
  const left = [...answers];
  const states: ConnectionState[] = [];
  const connection = createStore<ConnectionState>({ kind: "connecting" });
  connection.subscribe(() => void states.push(connection.current()));
  const fetchStream = createRetryingFetch({
    connection,
    waiting: { now: () => 1_000, random: () => 1, pause: async () => {} },
    send: async () => {
      const answer = left.shift() ?? new Error("no more answers");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { fetchStream, states };
}

describe("the stream's fetch", () => {
  it("is live exactly while the stream is open", async () => {
    const { fetchStream, states } = setUp([new Response("text")]);
    const response = await fetchStream("/api/events");
    expect(states).toEqual([{ kind: "connecting" }, { kind: "live" }]);
    expect(await response.text()).toBe("text");
    expect(states.at(-1)).toEqual({ kind: "connecting" });
  });

  it("publishes the next attempt and retries until the server answers", async () => {
    const down = new Response(null, { status: 503 });
    const { fetchStream, states } = setUp([new TypeError("refused"), down, new Response("")]);
    await fetchStream("/api/events");
    expect(states).toEqual([
      { kind: "connecting" },
      { kind: "waiting", retryAt: 1_500, failures: 1 },
      { kind: "connecting" },
      { kind: "waiting", retryAt: 2_000, failures: 2 },
      { kind: "connecting" },
      { kind: "live" },
    ]);
  });

  it("returns a refusal to the caller", async () => {
    const { fetchStream, states } = setUp([new Response(null, { status: 401 })]);
    expect((await fetchStream("/api/events")).status).toBe(401);
    expect(states).toEqual([{ kind: "connecting" }]);
  });

  it("stops when it is aborted", async () => {
    const { fetchStream } = setUp([new TypeError("refused")]);
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(fetchStream("/api/events", { signal })).rejects.toThrow("refused");
  });

  it("waits longer each time, up to a limit", () => {
    expect([1, 2, 3, 10].map((failures) => delayAfter(failures, () => 1))).toEqual([
      500, 1_000, 2_000, 15_000,
    ]);
    expect(delayAfter(1, () => 0)).toBe(250);
  });
});
