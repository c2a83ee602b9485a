import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { needProgram } from "../../domain/testing/machine.ts";
import type { DemoClient, Question } from "./testing/demo-client.ts";
import { useDemoWorld } from "./testing/demo-world.ts";

const world = useDemoWorld();
const { open, start } = world;

describe("reading", () => {
  it.each(["read README.md", "/read README.md", "Please look at `README.md`."])(
    "shows a file of the repository (%s)",
    async (words) => {
      const { demo, prompt } = await open();
      await prompt(words);
      expect(toolCalls(demo)).toMatchObject([
        { status: "pending", kind: "read", rawInput: { path: "README.md" } },
        { status: "in_progress" },
        {
          status: "completed",
          content: [{ content: { text: "# A repository\n\nWith words.\n" } }],
        },
      ]);
      expect(demo.text()).toContain("> # A repository");
    },
  );

  it("lists the repository when no file is named", async () => {
    const { demo, prompt } = await open();
    await prompt("look at the repository");
    expect(toolCalls(demo).at(-1)).toMatchObject({
      status: "completed",
      content: [{ content: { text: "README.md" } }],
    });
  });

  it.each(["../secret.txt", "link.txt", "missing.txt", "out/secret.txt"])(
    "never leaves the repository (%s)",
    async (name) => {
      symlinkSync(path.join(world.folder, "secret.txt"), path.join(world.repository, "link.txt"));
      symlinkSync(world.folder, path.join(world.repository, "out"));
      const { demo, prompt } = await open();
      await prompt(`/read ${name}`);
      expect(toolCalls(demo).at(-1)).toMatchObject({ status: "failed" });
      expect(JSON.stringify(demo.updates)).not.toContain("do not read me");
    },
  );

  it("does not block on a named pipe", async () => {
    execFileSync("sh", ["-c", "mkfifo pipe.txt"], { cwd: world.repository });
    const { demo, prompt } = await open();
    await prompt("/read pipe.txt");
    expect(toolCalls(demo).at(-1)).toMatchObject({ status: "failed" });
  });
});

describe("editing", () => {
  const notes = (): string => path.join(world.repository, "HOLDFAST-DEMO.md");

  it("shows the change first, and writes it if it is allowed", async () => {
    const { demo, prompt } = await open();
    const answered = prompt("write a note: hello there");
    const question = await demo.asked();
    expect(question.toolCall).toMatchObject({
      kind: "edit",
      rawInput: { path: "HOLDFAST-DEMO.md", line: "hello there" },
      content: [{ type: "diff", oldText: null }],
    });
    expect(existsSync(notes())).toBe(false);
    demo.answer(question, "allow");
    expect(await answered).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(readFileSync(notes(), "utf8")).toBe(
      "# Written by Holdfast's demo agent\n\n- hello there\n",
    );
    expect(toolCalls(demo).at(-1)).toMatchObject({ status: "completed" });
  });

  it("changes nothing if it is not allowed, and says so", async () => {
    const { demo, prompt } = await open();
    const answered = prompt("edit something");
    demo.answer(await demo.asked(), "reject");
    expect(await answered).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(existsSync(notes())).toBe(false);
    expect(toolCalls(demo).at(-1)).toMatchObject({ status: "failed" });
    expect(demo.text()).toContain("You did not allow it");
  });

  it("does not ask in mode auto, nor after everything was allowed", async () => {
    const { demo, prompt, sessionId } = await open();
    const answered = prompt("/edit one");
    demo.answer(await demo.asked(), "always");
    await answered;
    await prompt("/edit two");
    expect(await demo.request("session/set_mode", { sessionId, modeId: "ask" })).toMatchObject({
      result: { configOptions: [{ currentValue: "ask" }, {}] },
    });
    await demo.request("session/set_config_option", { sessionId, configId: "mode", value: "auto" });
    await prompt("/edit three");
    expect(readFileSync(notes(), "utf8")).toMatch(/- one\n- two\n- three\n$/u);
    expect(await demo.request("session/set_mode", { sessionId, modeId: "yolo" })).toMatchObject({
      error: { code: -32602 },
    });
  });

  it("does not write through a link", async () => {
    symlinkSync(path.join(world.folder, "secret.txt"), notes());
    const { demo, prompt } = await open();
    await prompt("/edit x");
    expect(demo.text()).toContain("I left it alone");
    expect(readFileSync(path.join(world.folder, "secret.txt"), "utf8")).toBe("do not read me");
  });

  it("withdraws the question if it is cancelled", async () => {
    const { demo, prompt, cancel } = await open();
    const answered = prompt("/edit x");
    await demo.asked();
    cancel();
    expect(await answered).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(existsSync(notes())).toBe(false);
    expect(await prompt("Hello")).toMatchObject({ result: { stopReason: "end_turn" } });
  });

  it.each([
    ["loaded", "session/load"],
    ["resumed", "session/resume"],
  ])("asks the same again if it was killed during the question and %s", async (_how, method) => {
    const first = await open();
    void first.prompt("write a note: hello there");
    const question = await first.demo.asked();
    first.demo.kill();
    await first.demo.exited;

    const demo = start();
    expect(await demo.request("initialize", {})).toHaveProperty("result");
    const { sessionId } = first;
    await demo.request(method, { sessionId, cwd: world.repository, mcpServers: [] });
    const answered = demo.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "While you were away it was answered.\nGo on with the work." },
      ],
    });
    const again = await demo.asked();
    expect(sameQuestion(again)).toEqual(sameQuestion(question));
    demo.answer(again, "allow");
    expect(await answered).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(readFileSync(notes(), "utf8")).toContain("- hello there\n");
  });

  it("continues with the previous message if it has no memory", async () => {
    const { demo, sessionId } = await open();
    void demo.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "This session began before you. User: /edit wrong" },
        { type: "text", text: "/edit right" },
        { type: "text", text: "Go on with the work." },
      ],
    });
    expect((await demo.asked()).toolCall["rawInput"]).toEqual({
      path: "HOLDFAST-DEMO.md",
      line: "right",
    });
  });
});

describe("running", () => {
  beforeEach(() => {
    needProgram("git");
    execFileSync("git", ["init", "--quiet", world.repository]);
  });

  it("shows the output of a harmless command if it is allowed", async () => {
    const { demo, prompt } = await open();
    const answered = prompt("run the tests");
    const question = await demo.asked();
    expect(question.toolCall).toMatchObject({
      kind: "execute",
      rawInput: { command: "git status --short" },
    });
    demo.answer(question, "allow");
    await answered;
    expect(toolCalls(demo).slice(-2)).toMatchObject([
      { _meta: { terminal_output: { data: "?? README.md\n" } } },
      { status: "completed", _meta: { terminal_exit: { exit_code: 0 } } },
    ]);
  });

  it("runs nothing if it is not allowed", async () => {
    const { demo, prompt } = await open();
    const answered = prompt("run the tests");
    demo.answer(await demo.asked(), null);
    await answered;
    expect(toolCalls(demo).at(-1)).toMatchObject({ status: "failed" });
    expect(demo.text()).toContain("I ran nothing");
  });
});

function toolCalls(demo: DemoClient): readonly object[] {
  return demo.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call"));
}

function sameQuestion({ toolCall: { toolCallId: _id, ...toolCall }, options }: Question): object {
  return { toolCall, options };
}
