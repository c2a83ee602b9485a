import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createSocketFetch } from "./socket-fetch.ts";

it("gives the reason of an abort to a reader of the body, as other implementations of fetch do", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "holdfast-socket-"));
  const socketPath = path.join(folder, "server.sock");
  const server = createServer((_, response) => void response.writeHead(200).write("begun"));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const stop = new AbortController();
  const reply = await createSocketFetch(socketPath)("http://localhost/", { signal: stop.signal });
  const reader = reply.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("begun");
  const reading = reader?.read();
  stop.abort(new Error("enough"));
  await expect(reading).rejects.toThrow("enough");
});
