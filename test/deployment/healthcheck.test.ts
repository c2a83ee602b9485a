import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { need } from "../../packages/server/src/domain/testing/machine.ts";
import { freePort } from "../../packages/server/src/storage/testing/free-port.ts";
import { removeFolder, startHoldfast, temporaryFolder } from "../e2e/holdfast-process.ts";

const PROGRAM = path.resolve(import.meta.dirname, "../../packages/server/bin/healthcheck.js");

interface Check {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs the health check with exactly this environment. */
function check(env: Readonly<Record<string, string>>): Promise<Check> {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr })));
}

const HEALTHY: RequestListener = ({ url }, reply) =>
  reply.writeHead(url === "/healthz" ? 200 : 404).end();

/** Returns the port, or null if this machine lacks the address. */
async function listen(host: string, listener = HEALTHY): Promise<number | null> {
  const server = createServer(listener);
  const listening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(0, host, () => resolve(true));
  });
  if (!listening) return null;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function folder(): string {
  const created = temporaryFolder();
  onTestFinished(() => removeFolder(created));
  return created;
}

describe("the health check", () => {
  it.each(["", "127.0.0.1", "0.0.0.0", "localhost", "::", "::1"])(
    "follows the port and the host of the environment: %j",
    async (host) => {
      const port = await listen(host === "" ? "127.0.0.1" : host);
      need(port === null ? `this machine cannot listen on ${host}` : null);
      const env = { HOLDFAST_DATA: folder(), HOLDFAST_HOST: host, HOLDFAST_PORT: String(port) };
      expect(await check(env)).toEqual({ code: 0, stderr: "" });
    },
  );

  it("follows a server whose flags differ from the environment", async () => {
    const data = folder();
    const server = await startHoldfast({ data, args: ["--host", "0.0.0.0"] });
    const env = { HOLDFAST_DATA: data, HOLDFAST_PORT: String(await freePort()) };
    const healthy = await check(env);
    await server.end("SIGTERM");
    expect(healthy).toEqual({ code: 0, stderr: "" });
    expect(await check(env)).toMatchObject({ code: 1 });
  });

  it("says what is wrong: nobody listens, another status, a closed connection", async () => {
    const data = folder();
    const refused = String(await freePort());
    expect(await check({ HOLDFAST_DATA: data, HOLDFAST_PORT: refused })).toEqual({
      code: 1,
      stderr: `holdfast: http://127.0.0.1:${refused}/healthz is not healthy: ECONNREFUSED\n`,
    });
    const failing = String(
      await listen("127.0.0.1", (_request, reply) => reply.writeHead(500).end()),
    );
    expect(await check({ HOLDFAST_DATA: data, HOLDFAST_PORT: failing })).toEqual({
      code: 1,
      stderr: `holdfast: http://127.0.0.1:${failing}/healthz is not healthy: it replied with status 500\n`,
    });
    const cut = String(await listen("127.0.0.1", ({ socket }) => socket.destroy()));
    expect(await check({ HOLDFAST_DATA: data, HOLDFAST_PORT: cut })).toEqual({
      code: 1,
      stderr: `holdfast: http://127.0.0.1:${cut}/healthz is not healthy: ECONNRESET\n`,
    });
  });

  it("does not use a proxy, and ignores a damaged server.json", async () => {
    const data = folder();
    writeFileSync(path.join(data, "server.json"), "{");
    const port = String(await listen("127.0.0.1"));
    const proxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${await freePort()}` };
    expect(await check({ ...proxy, HOLDFAST_DATA: data, HOLDFAST_PORT: port })).toEqual({
      code: 0,
      stderr: "",
    });
  });
});
