import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  ask,
  recall,
  say,
  script,
  think,
  tool,
  waitFor,
  write,
} from "../../packages/server/src/providers/testing/script.ts";
import { updatesOf } from "./acpx-client.ts";
import { endOf, openAcpxWorld, sayingOf, textsOf, type AcpxWorld } from "./acpx-world.ts";
import { ofKind, textOf } from "./editor-world.ts";

const pageSchema = z.object({
  sessions: z.array(z.object({ sessionId: z.string() })),
  nextCursor: z.string().optional(),
});
const FINISHED = { code: 0, result: { stopReason: "end_turn" } };
/** The exit code of acpx when all permissions of a prompt were refused. */
const REFUSED = 5;
let world: AcpxWorld;
let repoId: string;

const file = (name: string): string => path.join(world.root, name);

/** A session that another client has made, with two prompts. */
async function sessionOfPage(): Promise<string> {
  const { sessions } = world.client();
  const { id } = await sessions.create({ repoId });
  for (const text of ["page 1", "page 2"]) await sessions.send(id, { text });
  await expect.poll(() => world.runs(id)).toEqual(["completed 1", "completed 1"]);
  return id;
}

describe("acpx", () => {
  beforeAll(async () => {
    world = await openAcpxWorld();
    ({ id: repoId } = await world.client().repos.add({ path: world.root }));
  });
  afterAll(async () => {
    await world.end();
  });

  it("completes prompts, and hears each message of the agent once (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const text = script(
      think("hm"),
      say("one "),
      tool({ id: "t1", title: "Read a.ts", kind: "read", output: "text", ends: "completed" }),
      say("two"),
    );
    const first = await world.acpx.run("holdfast", text);
    const second = await world.acpx.run("holdfast", script(recall()));
    expect(endOf(first)).toEqual(FINISHED);
    expect(endOf(second)).toEqual(FINISHED);
    expect(textOf(first.updates)).toBe("one two");
    expect(textOf(first.updates, "agent_thought_chunk")).toBe("hm");
    expect(ofKind(first.updates, "tool_call").map(({ title }) => title)).toEqual(["Read a.ts"]);
    expect(textsOf([...first.updates, ...second.updates])).toEqual(await world.texts(sessionId));
    expect(await world.prompts(sessionId)).toEqual([text, script(recall())]);
  });

  it("completes a prompt without a session of its own, by the command (D5)", async () => {
    const command = world.acpx.door.map((word) => JSON.stringify(word)).join(" ");
    const { code, updates } = await world.acpx.run("--agent", command, "exec", script(say("once")));
    expect([textOf(updates), code]).toEqual(["once", 0]);
  });

  it.each([
    ["approves", "--approve-all", "allow", 0],
    ["denies", "--deny-all", "reject", REFUSED],
    ["denies, because no person can be asked,", "--approve-reads", "reject", REFUSED],
  ])("%s a permission with %s (D5)", async (_, flag, answer, code) => {
    const sessionId = await world.acpx.newSession();
    const name = `${flag}.txt`;
    const question = ask({
      id: "t1",
      title: "Write a file",
      kind: "edit",
      allowed: [write(file(name))],
    });
    const result = await world.acpx.run(flag, "holdfast", script(question));
    expect(endOf(result)).toEqual({ ...FINISHED, code });
    expect(textOf(result.updates)).toBe(`answer: ${answer}`);
    expect(existsSync(file(name))).toBe(answer === "allow");
    expect(textsOf(result.updates)).toEqual(await world.texts(sessionId));
    expect((await world.client().sessions.get(sessionId)).suspensions).toEqual([]);
  });

  it("cancels a prompt, and the session takes the next one (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const command = world.acpx.start("holdfast", script(say("begun"), waitFor(file("never"))));
    await expect.poll(() => sayingOf(command)).toBe("begun");
    const { code } = await world.acpx.run("holdfast", "cancel");
    expect(code).toBe(0);
    expect(endOf(await command.ended).result).toEqual({ stopReason: "cancelled" });
    const next = await world.acpx.run("holdfast", script(say("next")));
    expect(textOf(next.updates)).toBe("next");
    expect(await world.runs(sessionId)).toEqual(["cancelled 1", "completed 1"]);
  });

  it("waits with a second prompt for the end of the first (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const first = world.acpx.start("holdfast", script(say("first"), waitFor(file("first"))));
    await expect.poll(() => sayingOf(first)).toBe("first");
    const second = world.acpx.start("holdfast", script(say("second")));
    writeFileSync(file("first"), "");
    const results = [await first.ended, await second.ended];
    expect(results.map(({ updates }) => textOf(updates))).toEqual(["first", "second"]);
    expect(textsOf(results.flatMap(({ updates }) => updates))).toEqual(
      await world.texts(sessionId),
    );
  });

  it("chooses another agent for the session (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const { code } = await world.acpx.run("holdfast", "set", "holdfast-agent", "second");
    expect(code).toBe(0);
    await world.acpx.run("holdfast", script(say("second")));
    const { runs } = await world.client().sessions.runs(sessionId);
    expect(runs.map(({ provider }) => provider)).toEqual(["second"]);
  });

  it("lists every session of the folder once, page by page (D5)", async () => {
    for (let count = 0; count < 60; count++) await world.client().sessions.create({ repoId });
    const listed: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 9; pages++) {
      const more: string[] = cursor === undefined ? [] : ["--cursor", cursor];
      const { lines } = await world.acpx.run("holdfast", "sessions", "list", ...more);
      const page = pageSchema.parse(lines[0]);
      listed.push(...page.sessions.map(({ sessionId }) => sessionId));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    const { total } = await world.client().sessions.list();
    expect(listed).toHaveLength(total);
    expect(new Set(listed).size).toBe(total);
  });

  it("opens a session of the page again, and goes on with it (D5)", async () => {
    const sessionId = await sessionOfPage();
    await world.acpx.run("holdfast", "sessions", "new", "--resume-session", sessionId);
    const { updates } = await world.acpx.run("holdfast", script(recall()));
    expect(textOf(updates)).toContain("page 1");
    expect(await world.prompts(sessionId)).toHaveLength(3);
  });

  it("loads a session: everything that was said is replayed once (D5)", async () => {
    const sessionId = await sessionOfPage();
    const before = await world.texts(sessionId);
    const asked = await world.prompts(sessionId);
    await world.acpx.run("loading", "sessions", "new", "--resume-session", sessionId);
    const replayed = updatesOf(world.acpx.sentToLoading());
    expect(textsOf(replayed)).toEqual(before);
    expect(textOf(replayed, "user_message_chunk")).toBe(asked.join(""));
    const { updates } = await world.acpx.run("loading", script(say("new")));
    expect(textOf(updates)).toBe("new");
    expect({ ...before, ...textsOf(updates) }).toEqual(await world.texts(sessionId));
  });
});
