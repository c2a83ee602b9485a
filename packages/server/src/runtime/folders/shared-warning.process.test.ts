import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { say, script, waitFor } from "../../providers/testing/script.ts";
import { TestRuntime, transcript } from "../testing/test-runtime.ts";

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open({ files: { "a.txt": "a\n" }, worktrees: {} });
});
afterEach(() => test.close());

describe("two sessions in one folder", () => {
  it("D7 the second is warned before its run starts, once; one with a worktree is not", async () => {
    const go = path.join(test.folder, "go");
    const first = await test.createSession({ title: "First" });
    await test.send(first, script(waitFor(go)));
    await test.until(first, ({ session }) => session.state === "running");
    const second = await test.createSession();
    for (const text of ["one", "two"]) {
      await test.send(second, script(say(text)));
      await test.idle(second);
    }
    const warning = 'system "First" is at work in the same folder, so that their changes can meet.';
    const said = transcript(await test.read(second)).filter((line) => !line.startsWith("user"));
    expect(said).toEqual([expect.stringContaining(warning), "agent one", "agent two"]);
    const workspace = { kind: "worktree", base: null } as const;
    const apart = await test.createSession({ workspace });
    await test.send(apart, script(say("three")));
    await test.idle(apart);
    expect(transcript(await test.read(apart)).join("\n")).not.toContain("same folder");
    writeFileSync(go, "");
    await test.idle(first);
  });
});
