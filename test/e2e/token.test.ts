import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  holdfast,
  readServerFile,
  readToken,
  removeFolder,
  startHoldfast,
  temporaryFolder,
  type RunningServer,
} from "./holdfast-process.ts";

let data: string;
let server: RunningServer | null;
beforeEach(() => {
  data = path.join(temporaryFolder(), "data");
  server = null;
});
afterEach(async () => {
  await server?.end("SIGKILL");
  removeFolder(path.dirname(data));
});

async function start(env: Record<string, string> = {}): Promise<RunningServer> {
  await stop();
  return (server = await startHoldfast({ data, env }));
}

/** The errors that it printed. */
async function stop(): Promise<string> {
  const ended = await server?.end("SIGTERM");
  server = null;
  return ended?.stderr ?? "";
}

async function statusOf(token: string | null): Promise<number> {
  const headers: Record<string, string> =
    token === null ? {} : { authorization: `Bearer ${token}` };
  const reply = await fetch(`${server?.url}/api/sessions`, { headers });
  await reply.body?.cancel();
  return reply.status;
}

const modeOf = (name: string): number => statSync(path.join(data, name)).mode & 0o777;

describe("the token of a server", () => {
  it("is made at the first start, readable only by its owner, required, and kept across restarts", async () => {
    const { token } = await start();
    expect(token).toMatch(/^[\w-]{43}$/u);
    expect([modeOf("token"), modeOf("server.json")]).toEqual([0o600, 0o600]);
    expect(Object.keys(readServerFile(data))).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/token/iu)]),
    );
    expect(await Promise.all([null, "wrong", token].map(statusOf))).toEqual([401, 401, 200]);
    expect((await start()).token).toBe(token);
    expect(await statusOf(token)).toBe(200);
  });

  it("is the one of HOLDFAST_TOKEN if that is set; commands on the data folder need it not", async () => {
    await start({ HOLDFAST_TOKEN: "s3cret" });
    expect(readToken(data)).toBe("");
    expect(await Promise.all([null, "s3cret"].map(statusOf))).toEqual([401, 200]);
  });

  it("is closed to other users if its file was open to them", async () => {
    const { token } = await start();
    await stop();
    chmodSync(path.join(data, "token"), 0o644);
    expect((await start()).token).toBe(token);
    expect(modeOf("token")).toBe(0o600);
  });

  it.each([
    ["is empty", (file: string) => writeFileSync(file, "\n"), "it is empty"],
    ["is a folder", (file: string) => mkdirSync(file), "EISDIR"],
    ["has two words", (file: string) => writeFileSync(file, "one two\n"), "more than one word"],
  ])("is an error of one line if its file %s", async (_what, spoil, reason) => {
    await start();
    await stop();
    const file = path.join(data, "token");
    rmSync(file);
    spoil(file);
    const result = await holdfast(["serve", "--data", data, "--port", "0"]);
    expect(result).toMatchObject({ code: 2, stdout: "" });
    expect(result.stderr.trim().split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^holdfast: Cannot use the token file .*${reason}`, "u")),
    ]);
  });
});

describe("a server without authentication", () => {
  it("says so at its start and in /readyz, and accepts this machine's requests", async () => {
    await start({ HOLDFAST_AUTH: "none" });
    expect(await statusOf(null)).toBe(200);
    expect(await (await fetch(`${server?.url}/readyz`)).json()).toMatchObject({ auth: "none" });
    expect(await stop()).toBe(
      "holdfast: authentication is turned off: every program on this machine, including agents, can use this server as you.\n",
    );
  });

  it("is also a setting of the config file, and excludes HOLDFAST_TOKEN", async () => {
    mkdirSync(data, { mode: 0o700 });
    writeFileSync(path.join(data, "holdfast.config.json"), '{ "auth": "none" }');
    await start();
    expect(await statusOf(null)).toBe(200);
    await stop();
    const result = await holdfast(["serve", "--data", data, "--port", "0"], {
      HOLDFAST_TOKEN: "s3cret",
    });
    expect(result).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("Remove one of them"),
    });
  });
});
