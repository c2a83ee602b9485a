import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userGit } from "../../git/testing/new-repository.ts";
import {
  echo,
  script,
  say,
  shell,
  waitFor,
  write,
  type Step,
} from "../../providers/testing/script.ts";
import { ok, TestRuntime, transcript } from "../testing/test-runtime.ts";
import type { RewindSession } from "./rewind-session.ts";

let test: TestRuntime;
let sessionId: string;
beforeEach(async () => {
  test = await TestRuntime.open({ files: { "a.txt": "a\n", "b.txt": "b\n" } });
  sessionId = await test.createSession();
});
afterEach(() => test.close());

const file = (name: string): string => path.join(test.repoPath, name);
const read = (name: string): string | null =>
  existsSync(file(name)) ? readFileSync(file(name), "utf8") : null;

async function turn(...steps: readonly Step[]): Promise<string> {
  const sent = await test.send(sessionId, script(...steps));
  await test.idle(sessionId);
  return sent.run.id;
}

const request = (to: RewindSession["to"], more: Partial<RewindSession> = {}): RewindSession => ({
  sessionId,
  to,
  files: true,
  conversation: true,
  force: false,
  dryRun: false,
  ...more,
});

const rewind = async (to: RewindSession["to"], more: Partial<RewindSession> = {}) =>
  ok(await test.runtime.rewind(request(to, more)));

const paths = (files: readonly { readonly path: string }[]): readonly string[] =>
  files.map((each) => each.path);

describe("a rewind", () => {
  it("D7 restores the files of a run and of all later ones, and can be undone", async () => {
    await turn(write(file("a.txt"), "first\n"));
    const second = await turn(write(file("a.txt"), "second\n"), write(file("new.txt"), "new\n"));
    await turn(shell(`rm ${file("b.txt")}`));
    const dry = await rewind({ run: second }, { dryRun: true });
    expect([dry.rewind, paths(dry.files)]).toEqual([null, ["a.txt", "b.txt", "new.txt"]]);
    expect(read("a.txt")).toBe("second\n");

    const done = await rewind({ run: second });
    expect(done.rewind).toMatchObject({ status: "done", error: null });
    expect([read("a.txt"), read("b.txt"), read("new.txt")]).toEqual(["first\n", "b\n", null]);
    expect((await test.read(sessionId)).session.files?.total).toMatchObject({ files: 1 });

    const undone = await rewind({ undo: done.rewind?.id ?? "" });
    expect(undone.rewind).toMatchObject({ status: "done" });
    expect([read("a.txt"), read("b.txt"), read("new.txt")]).toEqual(["second\n", null, "new\n"]);
    const again = await test.runtime.rewind(request({ undo: undone.rewind?.id ?? "" }));
    expect(again).toMatchObject({ refusal: { code: "rewind_not_found" } });
  });

  it("D7 keeps what a person has edited since, and says so, unless it is forced", async () => {
    const run = await turn(write(file("a.txt"), "agent\n"), write(file("new.txt"), "agent\n"));
    writeFileSync(file("a.txt"), "person\n");
    writeFileSync(file("mine.txt"), "person\n");
    const done = await rewind({ run });
    expect(done.kept).toEqual([
      { path: "a.txt", reason: "edited_since" },
      { path: "mine.txt", reason: "edited_since" },
    ]);
    expect([read("a.txt"), read("new.txt"), read("mine.txt")]).toEqual([
      "person\n",
      null,
      "person\n",
    ]);
    ok(await test.runtime.rewind(request({ undo: done.rewind?.id ?? "" })));
    await rewind({ run }, { force: true });
    expect([read("a.txt"), read("new.txt"), read("mine.txt")]).toEqual(["a\n", null, null]);
  });

  it("D7 gives the next agent a history that ends there, and deletes nothing", async () => {
    await turn(say("kept"));
    const forgotten = await turn(say("forgotten"));
    const pids = await test.processes();
    const { runs } = await rewind({ run: forgotten }, { files: false });
    expect(runs).toEqual([forgotten]);
    await turn(echo());
    expect(await test.processes()).not.toEqual(pids);
    const whole = await test.read(sessionId);
    const said = transcript(whole);
    expect(said.filter((line) => line === "agent forgotten")).toHaveLength(1);
    const last = said.at(-1) ?? "";
    expect([last.includes("kept"), last.includes("forgotten")]).toEqual([true, false]);
    expect(said.find((line) => line.startsWith("system Rewound"))).toContain("1 run");
    expect(await test.store.readRun(forgotten)).toMatchObject({ rewoundAt: expect.any(Number) });
    const copy = ok(await test.runtime.fork({ sessionId, atMessage: null })).session.id;
    expect(transcript(await test.read(copy))).not.toContain("agent forgotten");
  });

  it("D7 needs an idle session, and holds messages back until it is done", async () => {
    const go = path.join(test.folder, "go");
    const first = await turn(write(file("a.txt"), "x\n"));
    await test.send(sessionId, script(waitFor(go)));
    await test.until(sessionId, ({ session }) => session.state === "running");
    const busy = await test.runtime.rewind(request({ run: first }));
    expect(busy).toMatchObject({ refusal: { code: "session_not_idle" } });
    expect(read("a.txt")).toBe("x\n");
    writeFileSync(go, "");
    await test.idle(sessionId);
    const [done] = await Promise.all([
      test.runtime.rewind(request({ run: first })),
      test.send(sessionId, script(say("later"))).catch(() => null),
    ]);
    await test.idle(sessionId);
    const outcome = done.ok ? `rewound to ${read("a.txt")}` : done.refusal.code;
    expect(["rewound to a\n", "session_not_idle", "version_mismatch"]).toContain(outcome);
  });

  it("D7 is finished by the next server if this one dies in the middle", async () => {
    const run = await turn(
      write(file("a.txt"), "agent\n"),
      write(file("c.txt"), "agent\n"),
      shell(`rm ${file("b.txt")}`),
    );
    const stored = await test.store.load(sessionId);
    if (stored.found !== "session") throw new Error("unreachable");
    const tree = (await test.store.readRun(run))?.filesBefore?.tree ?? "";
    const now = (await test.store.readRun(run))?.filesAfter?.tree ?? "";
    // As if it had been killed after the decision, with one of the files restored, and a person had edited another.
    writeFileSync(file("b.txt"), "b\n");
    writeFileSync(file("c.txt"), "person\n");
    await test.stop();
    const { session } = stored.stored;
    const decided = { id: "w", runId: run, runIds: [run], files: { now, result: tree } };
    const rewound = { ...decided, undoes: null, status: "restoring", error: null } as const;
    const loaded = await test.store.load(session.id);
    if (loaded.found !== "session") throw new Error("unreachable");
    const event = { type: "session.rewound", at: Date.now(), rewind: rewound } as const;
    expect(await test.store.commit({ before: loaded.stored, events: [event] })).toMatchObject({
      ok: true,
    });
    await test.start();
    await test.until(sessionId, (whole) => whole.session.rewind?.status === "done");
    expect([read("a.txt"), read("b.txt"), read("c.txt")]).toEqual(["a\n", "b\n", "person\n"]);
    expect(userGit(test.repoPath, "status", "--porcelain")).toBe("?? c.txt\n");
  });

  it("D7 says what is not possible", async () => {
    const run = await turn(say("hello"));
    const strange = await test.runtime.rewind(request({ run: sessionId }));
    expect(strange).toMatchObject({ refusal: { code: "run_not_found" } });
    const nothing = await test.runtime.rewind(request({ undo: "w" }));
    expect(nothing).toMatchObject({ refusal: { code: "rewind_not_found" } });
    await rewind({ run });
    const twice = await test.runtime.rewind(request({ run }));
    expect(twice).toMatchObject({ refusal: { message: "The run was taken back already." } });
    rmSync(file(".git"), { recursive: true });
    const gone = await test.runtime.rewind(request({ run }, { conversation: false }));
    expect(gone).toMatchObject({ ok: false, refusal: { code: "not_a_repository" } });
  });
});
