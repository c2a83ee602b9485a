import { createServer, type Server } from "node:http";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient } from "../../packages/client/src/index.ts";
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
    expect(await client.health()).toEqual({ status: "ok", version: "0.1.0" });
    expect(await client.readiness()).toMatchObject({
      status: "ready",
      database: { engine: "sqlite", schema: "0012-unfinished" },
    });
  });

  it("throws the server's problem with its code", async () => {
    const stranger = createClient({ url: server.url });
    await expect(stranger.readiness()).rejects.toMatchObject({
      name: "HoldfastError",
      code: "unauthorized",
      status: 401,
    });
  });

  it("says that something else answered, and stops when told to", async () => {
    const other = await listening((_request, response) => response.end("<p>not ours</p>"));
    await expect(createClient({ url: other.url }).health()).rejects.toMatchObject({
      code: "unexpected_reply",
      status: 200,
    });
    const silent = await listening(() => {});
    const stop = new AbortController();
    const asked = createClient({ url: silent.url }).health({ signal: stop.signal });
    stop.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    for (const { close } of [other, silent]) close();
  });
});

async function listening(
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
