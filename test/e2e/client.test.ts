import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VERSION } from "../../packages/server/src/cli/version.ts";
import { createClient } from "../../packages/client/src/index.ts";
import { NEWEST_MIGRATION } from "../../packages/server/src/storage/migrations/testing/migration-names.ts";
import {
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let data: string;
let server: RunningServer;

beforeEach(async () => {
  data = path.join(temporaryFolder(), "data");
  server = await startHoldfast({ data, env: { HOLDFAST_TOKEN: "s3cret" } });
});
afterEach(async () => {
  await server.end("SIGKILL");
  removeFolder(path.dirname(data));
});

describe("the client", () => {
  it("reads health and readiness of a real server", async () => {
    const client = createClient({ url: server.url, token: "s3cret" });
    expect(await client.health()).toEqual({ status: "ok", version: VERSION });
    expect(await client.readiness()).toMatchObject({
      status: "ready",
      database: { engine: "sqlite", schema: NEWEST_MIGRATION },
    });
  });

  it("throws the server's problem with its code", async () => {
    const unauthorized = createClient({ url: server.url });
    await expect(unauthorized.readiness()).rejects.toMatchObject({
      name: "HoldfastError",
      code: "unauthorized",
      status: 401,
    });
  });

  it("reports a reply from another program, and stops on abort", async () => {
    const other = await startListener((_request, response) => response.end("<p>not ours</p>"));
    await expect(createClient({ url: other.url }).health()).rejects.toMatchObject({
      code: "unexpected_reply",
      status: 200,
    });
    const silent = await startListener(() => {});
    const stop = new AbortController();
    const request = createClient({ url: silent.url }).health({ signal: stop.signal });
    stop.abort();
    await expect(request).rejects.toMatchObject({ name: "AbortError" });
    for (const { close } of [other, silent]) close();
  });
});

async function startListener(
  answer: Parameters<typeof createServer>[1],
): Promise<{ url: string; close: () => void }> {
  const listener: Server = createServer(answer ?? (() => {})).listen(0, "127.0.0.1");
  await new Promise((resolve) => listener.once("listening", resolve));
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      listener.closeAllConnections();
      listener.close();
    },
  };
}
