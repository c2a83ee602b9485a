import { describe, expect, it } from "vitest";
import type { App } from "../app.ts";
import { RawClient } from "../testing/raw-client.ts";
import { MEASURED, refusal } from "../testing/samples.ts";
import { scriptedFeeds } from "../testing/scripted-feed.ts";
import { listen, testApp } from "../testing/test-app.ts";

const COUNT = "holdfast_http_requests_total";
const DURATION = "holdfast_http_request_duration_seconds";
const MEASURING = { measure: async () => MEASURED, listNodes: async () => [] };

/** The lines of a metric, except those of reading the metrics. */
async function linesOf(app: App, name: string): Promise<readonly string[]> {
  const { body } = await app.inject("/metrics");
  return body
    .split("\n")
    .filter((line) => line.startsWith(name) && !line.includes('route="/metrics"'))
    .toSorted();
}

describe("HTTP requests in the metrics", () => {
  it("are counted by method, route and status, and never by path", async () => {
    const app = await testApp({
      runtime: {
        ...MEASURING,
        readSessionJson: async () => refusal(),
        findSession: async () => null,
      },
    });
    for (let n = 0; n < 40; n += 1) {
      await app.inject(`/api/sessions/s${n}`);
      await app.inject(`/nothing/${n}`);
    }
    await app.inject("/healthz");
    await app.inject({ method: "HEAD", url: "/healthz" });
    await app.inject({ method: "PUT", url: "/healthz" });
    await app.inject({ method: "OPTIONS", url: "/healthz" });
    await expect
      .poll(() => linesOf(app, COUNT))
      .toEqual([
        `${COUNT}{method="GET",route="/api/sessions/:id",status="404"} 40`,
        `${COUNT}{method="GET",route="/healthz",status="200"} 1`,
        `${COUNT}{method="GET",route="other",status="404"} 40`,
        `${COUNT}{method="HEAD",route="/healthz",status="200"} 1`,
        `${COUNT}{method="PUT",route="other",status="405"} 1`,
        `${COUNT}{method="other",route="other",status="405"} 1`,
      ]);
  });

  it("have a histogram of their durations by method and route", async () => {
    const app = await testApp({ runtime: MEASURING });
    await app.inject("/healthz");
    await app.inject("/healthz");
    const labels = 'method="GET",route="/healthz"';
    await expect
      .poll(() => linesOf(app, DURATION))
      .toEqual(
        expect.arrayContaining([
          `${DURATION}_bucket{${labels},le="+Inf"} 2`,
          `${DURATION}_count{${labels}} 2`,
          expect.stringMatching(/_sum\{method="GET",route="\/healthz"\} 0\.\d+$/u),
        ]),
      );
  });

  it("are counted when the guard refuses them", async () => {
    const app = await testApp({ token: "s3cret", runtime: MEASURING });
    await app.inject("/api/suspensions");
    const headers = { authorization: "Bearer s3cret" };
    const counts = async () => (await app.inject({ url: "/metrics", headers })).body;
    await expect
      .poll(counts)
      .toContain(`${COUNT}{method="GET",route="/api/suspensions",status="401"} 1`);
  });

  it("have no duration if they are event streams, which are counted when they end", async () => {
    const feeds = scriptedFeeds();
    const app = await testApp({ runtime: { ...MEASURING, ...feeds.runtime } });
    const client = new RawClient(await listen(app), "/api/sessions/s1/events");
    await client.until("retry");
    expect(await linesOf(app, COUNT)).toEqual([]);
    client.socket.destroy();
    await expect
      .poll(() => linesOf(app, COUNT))
      .toEqual([`${COUNT}{method="GET",route="/api/sessions/:id/events",status="200"} 1`]);
    expect(await linesOf(app, DURATION)).toEqual([]);
  });

  it("have the status 499 if the client disconnected before there was a reply", async () => {
    const arrived = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<[]>();
    const app = await testApp({
      runtime: {
        ...MEASURING,
        listSuspensions: () => {
          arrived.resolve();
          return reply.promise;
        },
      },
    });
    const client = new RawClient(await listen(app), "/api/suspensions");
    await arrived.promise;
    client.socket.destroy();
    await expect
      .poll(() => linesOf(app, COUNT))
      .toEqual([`${COUNT}{method="GET",route="/api/suspensions",status="499"} 1`]);
    reply.resolve([]);
  });
});
