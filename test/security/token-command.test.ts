import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calmMsOf } from "../../packages/server/src/domain/testing/calm-clock.ts";
import {
  holdfast,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type ProcessResult,
  type RunningServer,
} from "../e2e/holdfast-process.ts";

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

/** Waits for this status, which must come within five seconds. */
async function respondsSoon(read: () => Promise<number>, status: number): Promise<void> {
  expect(await calmMsOf(expect.poll(read).toBe(status))).toBeLessThan(5_000);
}

const run = (...args: readonly string[]): Promise<ProcessResult> =>
  holdfast(["token", ...args, "--data", data]);
const list = async () => JSON.parse((await run("list", "--json")).stdout).tokens;

describe("holdfast token", () => {
  it("creates, lists and revokes tokens of a running server, effective within five seconds", async () => {
    expect(await statusWith(null)).toBe(401);
    const first = await run("create", "--name", "admin", "--scope", "admin");
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^hf_[\w-]{43}\n$/u)]);
    const admin = first.stdout.trim();
    const created = await run("create", "--name", "ci", "--scope", "read", "--expires", "2");
    expect(created).toMatchObject({ code: 0, stderr: "" });
    const token = created.stdout.trim();
    expect([await statusWith(token), await statusWith(token, "DELETE")]).toEqual([200, 403]);

    const [adminRow, ciRow] = await list();
    expect(ciRow).toMatchObject({ name: "ci", scope: "read", revokedAt: null });
    expect((await run("list")).stdout).not.toContain(token);

    const env = { HOLDFAST_TOKEN: admin };
    const through = (...args: readonly string[]): Promise<ProcessResult> =>
      holdfast(["token", ...args, "--url", server.url, "--data", path.join(folder, "no")], env);
    const second = await through("create", "--name", "second", "--scope", "send", "--json");
    expect(JSON.parse(second.stdout)).toMatchObject({ name: "second", scope: "send" });
    const secondToken = JSON.parse(second.stdout).token;
    expect([await statusWith(secondToken), await statusWith(admin, "DELETE")]).toEqual([200, 404]);
    expect((await through("revoke", JSON.parse(second.stdout).id)).code).toBe(0);
    expect(await statusWith(secondToken)).toBe(401);
    expect((await through("revoke", "none")).code).toBe(1);

    expect((await run("revoke", ciRow.id)).stdout).toBe(
      "ci is revoked. Servers refuse it within seconds.\n",
    );
    await respondsSoon(() => statusWith(token), 401);
    expect(
      (await list()).map(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null),
    ).toEqual([true, false, false]);
    expect((await run("revoke", adminRow.id)).code).toBe(0);
    await respondsSoon(() => statusWith(admin), 401);
    expect(await statusWith(null)).toBe(401);
  });

  it("does not restrict commands on the server's own data folder; others may do what their token allows", async () => {
    const admin = (await run("create", "--name", "admin", "--scope", "admin")).stdout.trim();
    const reader = (await run("create", "--name", "reader", "--scope", "read")).stdout.trim();
    const here = (...args: readonly string[]): Promise<ProcessResult> =>
      holdfast([...args, "--data", data]);
    const id = (await here("create", "--agent", "builder")).stdout.trim();
    for (const args of [["list"], ["get", id], ["stats"], ["inbox"], ["nodes"], ["doctor"]])
      expect(await here(...args)).toMatchObject({ code: 0, stderr: "" });
    expect((await here("nodes", "--json")).stdout).toContain('"self":true');
    // The same server, reached by its URL or by its database.
    expect(await here("list", "--url", server.url)).toMatchObject({ code: 0 });
    const file = path.join(data, "holdfast.db");
    expect((await here("nodes", "--json", "--database", file)).stdout).toContain('"self":true');

    const there = (token: string | null, ...args: readonly string[]): Promise<ProcessResult> =>
      holdfast(
        [...args, "--url", server.url, "--data", path.join(folder, "no")],
        token === null ? {} : { HOLDFAST_TOKEN: token },
      );
    expect(await there(null, "list")).toMatchObject({ code: 2, stdout: "" });
    expect(await there(reader, "get", id)).toMatchObject({ code: 0 });
    const more = [["create"], ["cancel", id], ["delete", id, "--yes"], ["token"], ["archive", id]];
    for (const args of more)
      expect(await there(reader, ...args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("The scope of this token is read"),
      });
    expect(await there(admin, "delete", id, "--yes")).toMatchObject({ code: 0 });
    // A configured token is used even on the server's own data folder.
    const result = await holdfast(["create", "--data", data], { HOLDFAST_TOKEN: reader });
    expect(result).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The scope of this token is read"),
    });
  });

  it("refuses an unknown scope, and a token without a name", async () => {
    expect((await run("create", "--name", "x", "--scope", "root")).code).toBe(64);
    expect((await run("create", "--scope", "read")).code).toBe(64);
    expect((await run("create", "--name", "x", "--scope", "read", "--expires", "-1")).code).toBe(
      64,
    );
  });
});
