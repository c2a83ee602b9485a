import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { HANDED, NOON } from "../../domain/testing/commands.ts";
import { StorageFault } from "../../storage/fault.ts";
import type { Store } from "../../storage/store.ts";
import { countRows, openRaw } from "../../storage/testing/raw-database.ts";
import { beginSession, textOf } from "../../storage/testing/session-driver.ts";
import { importBundle } from "./import-bundle.ts";
import { bundleRig, LATER, REPO } from "./testing/bundle-rig.ts";
import { changed, from, parsed } from "./testing/lines.ts";

const test = bundleRig();

describe("an import", () => {
  it("A13 brings a removed session back, ready to go on, with the question it waited for", async () => {
    const { session, asked, lines } = await test.full();
    const read = await test.store.readSession(session.id);
    if (read.found !== "session") throw new Error("it is there");
    await session.perform({ type: "delete" });
    expect(await test.take(lines)).toEqual({
      ok: true,
      session: {
        ...read.record,
        status: "active",
        state: "suspended",
        suspensions: [asked],
        delivery: "hold",
        updatedAt: LATER,
        version: 1,
        lastSeq: read.record.lastSeq + 2,
      },
    });
    expect((await test.store.openSuspensions()).map(({ id }) => id)).toEqual([asked.id]);
  });

  it("A3, ruling 19: a bundle of Holdfast 0.1 comes out with plans and tool calls as system messages and whole texts that say so", async () => {
    const file = new URL("./testing/bundle-0.1.jsonl", import.meta.url);
    const before = readFileSync(file, "utf8").trimEnd().split("\n");
    const taken = await test.take(before);
    if (!taken.ok) throw new Error(taken.refusal.message);
    const after = (await test.bundleOf(taken.session.id)).map(parsed);
    const messages = after.filter(({ type }) => type === "message");
    expect(messages.map(({ role, content }) => [role, content])).toMatchObject([
      ["user", { type: "text", partial: false }],
      ["agent", { type: "thought", text: "Where is it?", partial: false }],
      ["system", { type: "plan", steps: [{ content: "Read the parser" }] }],
      ["agent", { type: "text", text: "I look.", partial: false }],
      ["system", { type: "tool", tool: "read", args: { path: "a.ts" }, result: "text" }],
      ["agent", { type: "text", text: "Done.", partial: false }],
      ["user", { type: "parts", parts: [{ type: "text", text: "And " }, { type: "image" }] }],
      ["agent", { type: "text", partial: false }],
      ["user", { type: "text", partial: false }],
      ["agent", { type: "text", text: "It breaks off", partial: false }],
      ["system", { type: "text", notice: "run_failed", partial: false }],
      ["system", { type: "text", notice: "session_imported", partial: false }],
      ["system", { type: "text", notice: "session_imported", partial: false }],
    ]);
    expect(after.find(({ type }) => type === "queued")).toMatchObject({
      content: textOf("Then document it."),
    });
  });

  it("P2 holds what was queued, and says so in the transcript", async () => {
    const { session, queued, lines } = await test.full();
    await session.perform({ type: "delete" });
    await test.take(lines);
    expect((await test.store.readQueue(session.id)).map(({ messageId }) => messageId)).toEqual([
      queued.messageId,
    ]);
    expect((await session.messages()).at(-1)).toMatchObject({
      id: "new-2",
      role: "system",
      content: {
        type: "text",
        text: 'Imported with 1 queued message, which may have been delivered where the session came from. They are held until delivery is set to "open".',
        notice: "session_imported",
        partial: false,
      },
      at: LATER,
    });
  });

  it("A13, A10: keeps what the last run used, and what each agent has seen; of a bundle of 0.1 by its runs", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    for (const provider of ["a", "b"]) {
      const start = { provider, model: `${provider}1`, handed: false };
      const { runId } = await session.send("Go.", { start });
      const resume = { supportsResume: true, resumeData: { of: provider } };
      await session.perform({ type: "record-resume", provider, ...resume });
      await session.perform({ type: "hand-run", runId });
      await session.end({ runId, messageId: "" });
    }
    const { lastRun, resumeData } = (await session.stored()).session;
    const lines = await test.bundleOf(session.id);
    const imported = async (bundle: readonly string[]) => {
      await session.perform({ type: "delete" });
      await test.take(bundle);
      const { session: now } = await session.stored();
      return { lastRun: now.lastRun, resumeData: now.resumeData };
    };
    expect(await imported(lines)).toEqual({ lastRun, resumeData });

    const old = changed(lines, ({ lastRun: _, ...line }) =>
      line["type"] === "session"
        ? { ...line, resumeData: { provider: "b", data: { of: "b" } } }
        : line,
    );
    expect(await imported(old)).toEqual({
      lastRun: { provider: "b", model: "b1" },
      resumeData: resumeData.filter(({ provider }) => provider === "b"),
    });
  });

  it("keeps what a run was asked for that is not over", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    await session.suspend(await session.send("waits", { continuity: "off", start: HANDED }));
    await session.send("queued", { continuity: "required" });
    const asked = async () => {
      const raw = await openRaw(test.location);
      const rows = await raw.all(`select "status", "continuity", "handed" from "Run" order by 1`);
      await raw.close();
      return rows.map((row) => ({ ...row }));
    };
    const lines = await test.bundleOf(session.id);
    await session.perform({ type: "delete" });
    await test.take(lines);
    expect(await asked()).toEqual([
      { status: "queued", continuity: "required", handed: 0 },
      { status: "suspended", continuity: "off", handed: 1 },
    ]);
  });

  it("binds the session to the repository of the same path here, whatever its id", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    await test.store.removeRepo(REPO.id);
    await test.store.addRepo({ ...REPO, id: "repo-other", name: "Other" });
    expect(await test.take(lines)).toMatchObject({ ok: true, session: { repoId: "repo-other" } });
  });

  it("without its repository is bound to none, and says what to do", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    const lines = await test.bundleOf(session.id);
    await session.perform({ type: "delete" });
    await test.store.removeRepo(REPO.id);
    expect(await test.take(lines)).toMatchObject({ ok: true, session: { repoId: null } });
    const [notice] = await session.messages();
    expect(notice?.content["text"]).toContain("/work/repo is not registered here");
  });

  it("of a session that needs no notice adds none", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    await session.end(await session.run("first"));
    const [messages, lines] = [await session.messages(), await test.bundleOf(session.id)];
    await session.perform({ type: "delete" });
    await test.take(lines);
    expect(await session.messages()).toEqual(messages);
  });

  it("is refused when there is such a session already, which stays as it is", async () => {
    const { session, lines } = await test.full();
    const before = await session.stored();
    expect(await test.take(lines)).toEqual({
      ok: false,
      refusal: {
        code: "session_exists",
        message: `Session ${session.id} already exists here.`,
        status: null,
        state: null,
      },
    });
    expect(await session.stored()).toEqual(before);
  });

  it("of a copy gives new ids to what is another's, and leaves that alone", async () => {
    const { session, lines } = await test.full();
    const before = [await session.stored(), await session.messages()];
    const copy = changed(lines, (line) => {
      if (line["holdfast"] === "bundle") return { ...line, sessionId: "copy" };
      return line["type"] === "session" ? { ...line, id: "copy" } : line;
    });
    expect(await test.take(copy)).toMatchObject({ ok: true, session: { id: "copy", queued: 1 } });
    expect([await session.stored(), await session.messages()]).toEqual(before);

    const loaded = await test.store.load("copy");
    if (loaded.found !== "session") throw new Error("it was imported");
    const { standing, queue } = loaded.stored.session;
    if (!("activity" in standing) || standing.activity.state !== "suspended")
      throw new Error("it waits");
    const runs = await test.store.readRuns("copy");
    expect(runs.map(({ id }) => id)).toContain(standing.activity.run.id);
    expect(runs.map(({ id }) => id)).toContain(queue[0]?.runId);
    const messages = await test.store.readMessages({ sessionId: "copy" });
    expect(messages.map(({ content }) => content["text"]).slice(0, 2)).toEqual(["first", "second"]);
    const [first, second] = runs;
    expect(messages.slice(0, 2).map(({ id, runId }) => ({ id, runId }))).toEqual([
      { id: first?.messageId, runId: first?.id },
      { id: second?.messageId, runId: second?.id },
    ]);
    const suspensions = await test.store.readSuspensions("copy");
    expect(suspensions.map(({ runId }) => runId)).toEqual([standing.activity.run.id]);
  });

  it("of a version 1 bundle, which has neither a checksum nor an agent id, still works", async () => {
    const { session, lines } = await test.full();
    const before = [await session.messages(), await test.store.readRuns(session.id)];
    await session.perform({ type: "delete" });
    const old = lines.map((line, index) => {
      const { sha256: _, agentId: __, ...value } = parsed(line);
      return JSON.stringify(index === 0 ? { ...value, version: 1 } : value);
    });
    expect(await test.take(old)).toMatchObject({ ok: true, session: { agentId: null } });
    const messages = (await session.messages()).slice(0, -1);
    expect([messages, await test.store.readRuns(session.id)]).toEqual(before);
  });

  it("keeps the agent id, unless another session has it here, and then says so", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id, agentId: "orchestra-7" });
    const lines = await test.bundleOf(session.id);
    await session.perform({ type: "delete" });
    expect(await test.take(lines)).toMatchObject({ ok: true, session: { agentId: "orchestra-7" } });
    expect(await session.messages()).toEqual([]);
    await test.store.deleteSessions([session.id]);
    await beginSession(test.store, { agentId: "orchestra-7" });
    expect(await test.take(lines)).toMatchObject({ ok: true, session: { agentId: null } });
    expect((await session.messages()).map(({ content }) => content["text"])).toEqual([
      "Imported without its agent id: another session here has orchestra-7.",
    ]);
  });

  it("whose repository is removed at the last moment is bound to none, and says so", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const store: Store = {
      ...test.store,
      finishImport: async (end) => {
        await test.store.removeRepo(REPO.id);
        return test.store.finishImport(end);
      },
    };
    const context = test.context({ store });
    expect(await importBundle(context, from(lines))).toMatchObject({
      ok: true,
      session: { repoId: null },
    });
    expect((await session.messages()).at(-2)?.content["text"]).toContain("is not registered here");
  });

  it("takes lines from a source that does not wait for it", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const input = Readable.from([lines.join("\n")]);
    expect(await importBundle(test.context(), createInterface({ input }))).toMatchObject({
      ok: true,
    });
  });

  it("is refused as soon as it is known that there is such a session, the rest unread", async () => {
    const { lines } = await test.full();
    let taken = 0;
    const counted = async function* (): AsyncGenerator<string> {
      for (const line of lines) {
        taken += 1;
        yield line;
      }
    };
    const context = test.context();
    expect(await importBundle(context, counted())).toMatchObject({
      ok: false,
      refusal: { code: "session_exists" },
    });
    expect(taken).toBe(2);
  });

  it("is refused while the same is being imported, and done once", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const done = await Promise.all([test.take(lines), test.take(lines), test.take(lines)]);
    expect(done.filter(({ ok }) => ok)).toHaveLength(1);
    const codes = done.flatMap((one) => (one.ok ? [] : [one.refusal.code]));
    expect(codes).toEqual(["session_exists", "session_exists"]);
    expect(await test.store.abandonedImports()).toEqual([]);
  });

  it("takes the place of one that nobody goes on with", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const staging = { sessionId: session.id, importId: "dead" };
    await test.store.beginImport({ staging, at: NOON });
    expect(await test.take(lines)).toMatchObject({
      refusal: { message: `Session ${session.id} is already being imported here.` },
    });
    await test.store.dropLease("dead");
    expect(await test.take(lines)).toMatchObject({ ok: true, session: { id: session.id } });
  });

  it("that fails half-way leaves nothing, neither in the store nor on the disk", async () => {
    const { session, lines } = await test.full();
    await session.perform({ type: "delete" });
    const empty = await countRows(test.location);
    const spoolFolder = mkdtempSync(path.join(tmpdir(), "holdfast-spool-"));
    const failing: Store = {
      ...test.store,
      finishImport: () => Promise.reject(new StorageFault("disk_full", "There is no room.")),
    };
    const context = { ...test.context(), spoolFolder };
    await expect(importBundle({ ...context, store: failing }, from(lines))).rejects.toThrow(
      "There is no room.",
    );
    expect(await countRows(test.location)).toEqual(empty);
    expect(readdirSync(spoolFolder)).toEqual([]);
    expect(await importBundle({ ...context, store: test.store }, from(lines))).toMatchObject({
      ok: true,
    });
    rmSync(spoolFolder, { recursive: true });
  });

  it("cleans what neither database could hold", async () => {
    const session = await beginSession(test.store, { repoId: REPO.id });
    await session.end(await session.run("first"));
    const lines = changed(await test.bundleOf(session.id), (line) =>
      line["type"] === "message" ? { ...line, content: textOf("a\0b\uD800c") } : line,
    );
    await session.perform({ type: "delete" });
    await test.take(lines);
    expect((await session.messages())[0]?.content).toEqual(textOf("ab\uFFFDc"));
  });
});
