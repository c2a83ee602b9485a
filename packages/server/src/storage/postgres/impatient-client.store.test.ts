import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { openTcpProxy } from "../testing/tcp-proxy.ts";
import { openTestStore } from "../testing/test-database.ts";
import { ImpatientClient } from "./impatient-client.ts";

it("ends its connection even if the network is silent", async () => {
  const { location, close } = await openTestStore("postgres");
  onTestFinished(close);
  if (location.engine !== "postgres") throw new Error("unreachable: it was asked for");
  const url = new URL(location.url);
  const proxy = await openTcpProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const client = new ImpatientClient({ connectionString: url.href });
  const ended = once(client, "end");
  await client.connect();
  proxy.silence();
  await client.end();
  await expect(ended).resolves.toEqual([]);
});
