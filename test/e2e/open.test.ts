import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  holdfast,
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

async function signIn(url: string, code: string | null): Promise<number> {
  const reply = await fetch(`${url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ code }),
  });
  await reply.body?.cancel();
  return reply.status;
}

const codeOf = (address: string): string | null =>
  new URLSearchParams(new URL(address).hash.slice(1)).get("code");

describe("holdfast open", () => {
  it("prints an address that signs in one browser, also without a display", async () => {
    const { url, greeting } = (server = await startHoldfast({ data }));
    // Output that is not a terminal may be stored.
    expect(greeting).toContain(`  Page    ${url}/  (open it with: holdfast open)\n`);
    expect(greeting).not.toContain("code=");
    for (const args of [["--print"], []]) {
      const env = { DISPLAY: "", WAYLAND_DISPLAY: "" };
      const { code, stdout } = await holdfast(["open", ...args, "--data", data], env);
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^${url}/#code=[\\w-]{43}\\n$`, "u")),
      ]);
      expect(await signIn(url, codeOf(stdout.trim()))).toBe(200);
      expect(await signIn(url, codeOf(stdout.trim()))).toBe(401);
    }
  });

  it("prints the plain address without authentication, and says that no server runs", async () => {
    expect(await holdfast(["open", "--print", "--data", data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("holdfast up"),
    });
    server = await startHoldfast({ data, env: { HOLDFAST_AUTH: "none" } });
    const opened = await holdfast(["open", "--print", "--data", data]);
    expect(opened).toMatchObject({ code: 0, stdout: `${server.url}/\n` });
  });
});
