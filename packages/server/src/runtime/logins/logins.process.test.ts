import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { calmDeadline } from "../../domain/testing/calm-clock.ts";
import { fail, say, script, tool } from "../../providers/testing/script.ts";
import type { ScriptedAuth } from "../../providers/testing/scripted-options.ts";
import { ok, TestRuntime, transcript, type TestRuntimeOptions } from "../testing/test-runtime.ts";

let test: TestRuntime;
afterEach(async () => {
  await test.close();
  rmSync(credentials, { force: true });
});

const folder = mkdtempSync(path.join(tmpdir(), "holdfast-logins-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const credentials = path.join(folder, "credentials");
const log = path.join(folder, "received.jsonl");
const METHODS: ScriptedAuth["methods"] = [
  { id: "terminal", name: "Subscription", type: "terminal", args: ["--login"] },
  { id: "device", name: "Device code" },
  { id: "key", name: "Key", description: "An API key", vars: [{ name: "SCRIPTED_KEY" }] },
];
const AUTH: ScriptedAuth = { methods: METHODS, accepts: "device", file: credentials };

async function open(auth: Partial<ScriptedAuth> = {}, more: TestRuntimeOptions = {}) {
  test = await TestRuntime.open({
    agents: [
      {
        auth: { ...AUTH, ...auth },
        folder: `${credentials}-memory`,
        capabilities: { resume: true },
        log,
      },
    ],
    ...more,
  });
  rmSync(credentials, { force: true });
  return test.createSession();
}

const logIn = (): void => writeFileSync(credentials, "logged in");
const waiting = (id: string) =>
  test.until(id, ({ session }) => session.suspensions.some(({ kind }) => kind === "login"));
/** How many prompts the agents have received. */
const prompts = (): number => readFileSync(log, "utf8").split("session/prompt").length - 1;

describe("a run whose agent requires a login", () => {
  it("D1 waits for it and says what to do", async () => {
    const id = await open();
    await test.send(id, script(say("hello")));
    const { session } = await waiting(id);
    expect(session).toMatchObject({ status: "active", state: "suspended" });
    expect(session.suspensions).toMatchObject([
      {
        kind: "login",
        expiresAt: null,
        request: {
          title: "Scripted agent requires a login; it offers Subscription, Device code, Key",
          provider: "scripted",
          methods: [
            {
              id: "terminal",
              how: "terminal",
              command: "holdfast login scripted --method terminal",
            },
            { id: "device", how: "agent" },
            { id: "key", how: "variable", variables: ["SCRIPTED_KEY"] },
          ],
        },
      },
    ]);
    await test.untilNoProcess();
  });

  it.each([false, true])(
    "D1 goes on by itself after one login, in all sessions, and gets its message once (at the prompt: %s)",
    async (atPrompt) => {
      const first = await open({ atPrompt });
      const second = await test.createSession();
      await test.send(first, script(say("first")));
      await test.send(second, script(say("second")));
      await Promise.all([waiting(first), waiting(second)]);
      // The second session does not ask its agent if the first one has shown already that a login is needed.
      await test.untilNoProcess();
      const refused = prompts();
      logIn();
      const reply = await test.runtime.logIn({ provider: "scripted", method: null });
      expect(reply).toEqual({ ok: true, login: { state: "done", released: 2 } });
      for (const [id, text] of [
        [first, "first"],
        [second, "second"],
      ] as const) {
        const whole = await test.idle(id);
        expect(transcript(whole).filter((line) => line.startsWith("agent"))).toEqual([
          `agent ${text}`,
        ]);
        expect(whole.messages.filter(({ role }) => role === "user")).toHaveLength(1);
      }
      expect(prompts() - refused).toBe(2);
    },
  );

  it("D1 goes on when another session shows that somebody has logged in", async () => {
    const first = await open();
    const second = await test.createSession();
    await test.send(first, script(say("first")));
    await waiting(first);
    logIn();
    await test.send(second, script(say("second")));
    await test.idle(second);
    expect(transcript(await test.idle(first))).toContain("agent first");
  });

  it.each(["stop", "crash"] as const)(
    "D1 waits across a %s of the server, and goes on after a login",
    async (how) => {
      const id = await open();
      await test.send(id, script(say("hello")));
      const [before] = (await waiting(id)).session.suspensions;
      if (how === "stop") await test.restartWith({});
      else await test.restartAfterCrash();
      await test.until(id, ({ session: { suspensions } }) =>
        suspensions.some(({ kind, id: now }) => kind === "login" && now !== before?.id),
      );
      logIn();
      const reply = await test.runtime.logIn({ provider: "scripted", method: null });
      expect(reply).toMatchObject({ login: { released: 1 } });
      expect(transcript(await test.idle(id))).toContain("agent hello");
    },
  );

  it("D1 goes on by itself after a restart if somebody logged in meanwhile", async () => {
    const id = await open();
    await test.send(id, script(say("hello")));
    await waiting(id);
    await test.stop();
    logIn();
    await test.start();
    expect(transcript(await test.idle(id))).toContain("agent hello");
  });

  it("D1 tries again on request, and waits again without a login", async () => {
    const id = await open();
    await test.send(id, script(say("hello")));
    const [suspension] = (await waiting(id)).session.suspensions;
    const suspensionId = suspension?.id ?? "";
    const answer = (value: string) =>
      test.runtime.answer({ sessionId: id, suspensionId, answer: value, by: "ada" });
    expect(await answer("later")).toMatchObject({ refusal: { code: "answer_invalid" } });
    ok(await answer("retry"));
    const again = await test.until(id, ({ session }) =>
      session.suspensions.some((each) => each.id !== suspensionId),
    );
    expect(again.session.suspensions).toMatchObject([{ kind: "login" }]);
  });

  it("D1 waits at most twenty times, then fails", async () => {
    const id = await open();
    const sent = await test.send(id, script(say("hello")));
    for (let tries = 0; tries < 20; tries += 1) {
      await waiting(id);
      await test.runtime.logIn({ provider: "scripted", method: null });
    }
    await test.idle(id);
    expect(await test.store.readRun(sent.run.id)).toMatchObject({
      status: "failed",
      error: { code: "agent_needs_login" },
    });
  });

  it("D1 fails with the agent's words when a person ends it", async () => {
    const id = await open();
    const sent = await test.send(id, script(say("hello")));
    const [suspension] = (await waiting(id)).session.suspensions;
    const request = { sessionId: id, suspensionId: suspension?.id ?? "", by: "ada" };
    ok(await test.runtime.answer({ ...request, answer: { action: "cancel" } }));
    const { messages } = await test.idle(id);
    expect(messages.at(-1)?.content).toMatchObject({
      notice: "run_failed",
      code: "agent_needs_login",
    });
    expect(await test.store.readRun(sent.run.id)).toMatchObject({
      status: "failed",
      error: {
        message: "Scripted agent requires a login; it offers Subscription, Device code, Key",
        detail: "Subscription (terminal)\nDevice code (device)\nKey (key): An API key",
      },
    });
  });

  it("D1 can be cancelled like any other run", async () => {
    const id = await open();
    const sent = await test.send(id, script(say("hello")));
    await waiting(id);
    ok(await test.runtime.cancel({ sessionId: id, reason: "enough" }));
    expect(await test.store.readRun(sent.run.id)).toMatchObject({ status: "cancelled" });
  });

  it("D1 continues its work, and does not begin again, if it had used a tool before", async () => {
    const id = await open({ file: `${credentials}-always` });
    writeFileSync(`${credentials}-always`, "");
    await test.send(
      id,
      script(
        tool({ id: "t1", title: "write", ends: "completed" }),
        fail({ code: -32000, message: "Session expired" }),
      ),
    );
    await waiting(id);
    await test.runtime.logIn({ provider: "scripted", method: null });
    const lines = transcript(await test.idle(id));
    expect(lines.filter((line) => line.startsWith("tool"))).toHaveLength(1);
    expect(lines.at(-1)).toContain("You needed a login. It is done");
    rmSync(`${credentials}-always`);
  });
});

describe("a login that the server starts", () => {
  const CODE = "WDJB-MJHT";
  const PAGE = {
    url: "https://login.example.org/device",
    message: `Sign in and enter this code: ${CODE}`,
    waits: true,
  };

  it("D1 gives page and code to the person, and the runs go on when it is done", async () => {
    const id = await open({ page: PAGE, reportsStatus: true });
    await test.send(id, script(say("hello")));
    await waiting(id);
    expect((await status()).loginStatus).toEqual({ state: "out", label: null });
    const started = ok(await test.runtime.logIn({ provider: "scripted", method: "device" }));
    const { url, message } = PAGE;
    expect(started.login).toEqual({ state: "waiting", page: { url, message, code: CODE } });
    logIn();
    expect(transcript(await test.idle(id))).toContain("agent hello");
    await until(async () => {
      const read = ok(await test.runtime.readLogin("scripted"));
      return read.login.state === "done";
    });
    expect((await status()).loginStatus).toEqual({
      state: "in",
      label: "Scripted Plus (ada@example.org)",
    });
    await test.stop();
    expect(filesOf(test.folder).filter((file) => readFileSync(file).includes(CODE))).toEqual([]);
    await test.start();
  });

  it("D1 can be stopped, and leaves no process", async () => {
    await open({ page: PAGE });
    ok(await test.runtime.logIn({ provider: "scripted", method: "device" }));
    expect(await test.runtime.cancelLogin("scripted")).toMatchObject({ login: { state: "none" } });
    await test.untilNoProcess({ withinMs: 20_000 });
  });

  it("D1 is refused for a method that needs a terminal, an unset variable or does not exist", async () => {
    await open();
    for (const method of ["terminal", "key", "nothing"]) {
      const reply = await test.runtime.logIn({ provider: "scripted", method });
      expect(reply).toMatchObject({ refusal: { code: "login_unavailable" } });
    }
    expect(await test.runtime.logIn({ provider: "nobody", method: null })).toMatchObject({
      refusal: { code: "provider_unknown" },
    });
  });

  it("D1 is undone by a logout, if the agent offers one", async () => {
    await open({ reportsStatus: true });
    logIn();
    expect(await test.runtime.logOut("scripted")).toEqual({ ok: true, login: { state: "none" } });
    expect(existsSync(credentials)).toBe(false);
    expect((await status()).loginStatus).toEqual({ state: "out", label: null });
  });

  it("D1 is unknown while no agent has reported it", async () => {
    await open();
    expect((await status()).loginStatus).toEqual({ state: "unknown", label: null });
  });
});

async function status() {
  const { providers } = await test.runtime.listProviders();
  const [first] = providers;
  if (first === undefined) throw new Error("there is no provider");
  return first;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const isOver = calmDeadline(30_000);
  while (!(await isSo())) {
    if (isOver()) throw new Error("not so in time");
    await pause(5);
  }
}

function filesOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
