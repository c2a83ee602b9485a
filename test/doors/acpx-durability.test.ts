import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ask,
  recall,
  say,
  script,
  waitFor,
} from "../../packages/server/src/providers/testing/script.ts";
import { VICTIMS } from "./acpx-client.ts";
import { endOf, openAcpxWorld, sayingOf, textsOf, type AcpxWorld } from "./acpx-world.ts";
import { textOf } from "./editor-world.ts";

let world: AcpxWorld;

beforeEach(async () => {
  world = await openAcpxWorld();
});
afterEach(async () => {
  await world.end();
});

const file = (name: string): string => path.join(world.root, name);

describe("a server that is killed", () => {
  it("is a pause for acpx: every word arrives once, and the prompt ends (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const text = script(
      say("one "),
      waitFor(file("go")),
      say("two "),
      waitFor(file("end")),
      say("three"),
    );
    const command = world.acpx.start("holdfast", text);
    await expect.poll(() => sayingOf(command)).toBe("one ");
    await world.kill();
    writeFileSync(file("go"), "");
    await world.start();
    await expect.poll(() => sayingOf(command)).toBe("one two ");
    await world.killAndStart();
    writeFileSync(file("end"), "");
    const result = await command.ended;
    expect(endOf(result)).toEqual({ code: 0, result: { stopReason: "end_turn" } });
    expect(textOf(result.updates)).toBe("one two three");
    expect(textsOf(result.updates)).toEqual(await world.texts(sessionId));
    expect(await world.prompts(sessionId)).toEqual([text]);
    expect(await world.runs(sessionId)).toEqual(["completed 1"]);
  });

  it("can be cancelled by acpx when it is back (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const command = world.acpx.start("holdfast", script(say("begun"), waitFor(file("never"))));
    await expect.poll(() => sayingOf(command)).toBe("begun");
    await world.kill();
    expect((await world.acpx.run("holdfast", "cancel")).code).toBe(0);
    await world.start();
    expect(endOf(await command.ended).result).toEqual({ stopReason: "cancelled" });
    expect(await world.runs(sessionId)).toEqual(["cancelled 1"]);
  });
});

describe.each(VICTIMS)("a killed process of %s", (victim) => {
  it("does not end the turn: the next prompt hears its rest, and nothing twice (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const text = script(say("one "), waitFor(file("go")), say("two "));
    const first = world.acpx.start("holdfast", text);
    await expect.poll(() => sayingOf(first)).toBe("one ");
    await world.acpx.kill(victim);
    const lost = await first.ended;
    expect(lost.code).toBe(1);
    const second = world.acpx.start("holdfast", script(recall()));
    await expect.poll(() => world.queued(sessionId)).toBe(1);
    writeFileSync(file("go"), "");
    const result = await second.ended;
    expect(endOf(result)).toEqual({ code: 0, result: { stopReason: "end_turn" } });
    expect(textsOf([...lost.updates, ...result.updates])).toEqual(await world.texts(sessionId));
    expect(textOf(result.updates)).toBe(`two recall: ${text}`);
    expect(await world.prompts(sessionId)).toEqual([text, script(recall())]);
    expect(await world.runs(sessionId)).toEqual(["completed 1", "completed 1"]);
  });

  it("leaves a question open, which the next prompt answers (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const text = script(
      say("one "),
      waitFor(file("go")),
      ask({ id: "t1", title: "Write b.ts", kind: "edit" }),
    );
    const next = script(say(", "), recall());
    const first = world.acpx.start("holdfast", text);
    await expect.poll(() => sayingOf(first)).toBe("one ");
    await world.acpx.kill(victim);
    const lost = await first.ended;
    writeFileSync(file("go"), "");
    const { sessions } = world.client();
    await expect
      .poll(async () => (await sessions.get(sessionId)).suspensions.map(({ kind }) => kind))
      .toEqual(["permission"]);
    const result = await world.acpx.run("--approve-all", "holdfast", next);
    expect(textsOf([...lost.updates, ...result.updates])).toEqual(await world.texts(sessionId));
    expect(textOf(result.updates)).toBe(`answer: allow, recall: ${text}`);
    expect(await world.prompts(sessionId)).toEqual([text, next]);
  });

  it("and a killed server lose and repeat nothing together (D5)", async () => {
    const sessionId = await world.acpx.newSession();
    const text = script(say("one "), waitFor(file("go")), say("two "));
    const first = world.acpx.start("holdfast", text);
    await expect.poll(() => sayingOf(first)).toBe("one ");
    await world.kill();
    await world.acpx.kill(victim);
    const lost = await first.ended;
    await world.start();
    const second = world.acpx.start("holdfast", script(say("three")));
    await expect.poll(() => world.queued(sessionId)).toBe(1);
    writeFileSync(file("go"), "");
    const result = await second.ended;
    expect(textsOf([...lost.updates, ...result.updates])).toEqual(await world.texts(sessionId));
    expect(textOf(result.updates)).toBe("two three");
    expect(await world.prompts(sessionId)).toEqual([text, script(say("three"))]);
    expect(await world.runs(sessionId)).toEqual(["completed 1", "completed 1"]);
  });
});
