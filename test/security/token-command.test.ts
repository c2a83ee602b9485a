import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  holdfast,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type Ended,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

const SOON = { timeout: 5_000 };
let folder: string;
let data: string;
let server: RunningServer;

beforeAll(async () => {
  folder = temporaryFolder();
  data = path.join(folder, "data");
  server = await startHoldfast({ data, env: { AGENT_WORKSPACE_ROOT: folder } });
});
afterAll(async () => {
  await server.end("SIGTERM");
  removeFolder(folder);
});

async function statusWith(token: string | null, method = "GET"): Promise<number> {
  const reply = await fetch(`${server.url}/api/repos${method === "GET" ? "" : "/none"}`, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  });
  await reply.body?.cancel();
  return reply.status;
}

const run = (...args: readonly string[]): Ended => holdfast(["token", ...args, "--data", data]);
const list = () => JSON.parse(run("list", "--json").stdout);

describe("holdfast token", () => {
  it("makes, lists and revokes tokens of a running server, which knows within five seconds", async () => {
    expect(await statusWith(null)).toBe(200);
    const made = run("create", "--name", "ci", "--scope", "read", "--expires", "2");
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^hf_[\w-]{43}\n$/u)]);
    const token = made.stdout.trim();
    await expect.poll(() => statusWith(null), SOON).toBe(401);
    expect([await statusWith(token), await statusWith(token, "DELETE")]).toEqual([200, 403]);

    const [listed] = list();
    expect(listed).toMatchObject({ name: "ci", scope: "read", revokedAt: null });
    expect(run("list").stdout).not.toContain(token);

    const admin = run("create", "--name", "admin", "--scope", "admin").stdout.trim();
    const env = { HOLDFAST_TOKEN: admin };
    const through = (...args: readonly string[]): Ended =>
      holdfast(["token", ...args, "--url", server.url, "--data", path.join(folder, "no")], env);
    const second = through("create", "--name", "second", "--scope", "send", "--json");
    expect(JSON.parse(second.stdout)).toMatchObject({ name: "second", scope: "send" });
    const secondToken = JSON.parse(second.stdout).token;
    expect([await statusWith(secondToken), await statusWith(admin, "DELETE")]).toEqual([200, 404]);
    expect(through("revoke", JSON.parse(second.stdout).id).code).toBe(0);
    expect(await statusWith(secondToken)).toBe(401);
    expect(through("revoke", "none").code).toBe(1);

    expect(run("revoke", listed.id).stdout).toBe(
      "ci is revoked; servers refuse it within seconds.\n",
    );
    await expect.poll(() => statusWith(token), SOON).toBe(401);
    expect(list().map(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)).toEqual(
      [false, true, false],
    );
  });

  it("refuses what is no scope, and a token without a name", () => {
    expect(run("create", "--name", "x", "--scope", "root").code).toBe(64);
    expect(run("create", "--scope", "read").code).toBe(64);
    expect(run("create", "--name", "x", "--scope", "read", "--expires", "-1").code).toBe(64);
  });
});
