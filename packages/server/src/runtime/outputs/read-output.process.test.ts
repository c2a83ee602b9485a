import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { script, update, type Step } from "../../providers/testing/script.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import { MAX_FILE_BYTES } from "./read-output.ts";

const SECRET = "canary-5d1f0c7e9b";
const WHOLE = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join("");

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open({
    agents: [
      {
        env: { AGENT_API_KEY: SECRET },
      },
    ],
  });
});
afterEach(() => test.close());

const inRepository = (...names: string[]): string => path.join(test.repoPath, ...names);
const outside = (...names: string[]): string => path.join(test.folder, ...names);

/** The tool call says this; returns the output as a client gets it. */
async function read(text: string, steps: readonly Step[] = [said(text)]) {
  const sessionId = await test.createSession();
  await test.send(sessionId, script(...steps));
  const { messages } = await test.idle(sessionId);
  const messageId = messages.find(({ content }) => content.type === "tool")?.id ?? "";
  const reply = await test.runtime.readOutput({ sessionId, messageId });
  if (!reply.ok) throw new Error(reply.refusal.message);
  const { source, omittedBytes, text: pieces } = reply.output;
  let whole = "";
  for await (const piece of pieces) whole += piece;
  return { source, omittedBytes, text: whole };
}

function said(text: string): Step {
  return update({
    sessionUpdate: "tool_call",
    toolCallId: "c1",
    title: "seq",
    kind: "execute",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text } }],
  });
}

const cut = (file: string): string => `Output too large. Full output saved to: ${file}\n\nline 0`;

describe("the output of a tool call", () => {
  it("D1 is the stored one if it names no file", async () => {
    expect(await read("all of it")).toEqual({
      source: "stored",
      omittedBytes: 0,
      text: "all of it",
    });
  });

  it("D1 declares how much of it was not stored", async () => {
    const output = { terminal_id: "c1", data: "x".repeat(300 * 1024) };
    const { source, omittedBytes, text } = await read("", [
      update({
        sessionUpdate: "tool_call",
        toolCallId: "c1",
        title: "seq",
        kind: "execute",
        status: "completed",
        content: [{ type: "terminal", terminalId: "c1" }],
        _meta: { terminal_output: output },
      }),
    ]);
    expect(source).toBe("stored");
    expect(omittedBytes).toBeGreaterThan(44 * 1024);
    expect(text).toContain(`[… ${omittedBytes.toLocaleString("en")} bytes left out …]`);
  });

  it.each([
    ["OpenCode", "Full output saved to: ", "\n\nPreview"],
    ["Qwen", "The full output has been saved to: ", "\nTo read"],
    ["Qwen, for people", "Output too long and was saved to:\n- ", ""],
    ["Claude", "1\n2\n[Output truncated (108894 bytes total): full output saved to ", "]"],
  ])("D1 is whole if the agent left it in a file, as %s says it", async (_, before, after) => {
    writeFileSync(inRepository("out put.txt"), WHOLE);
    const { source, text } = await read(`${before}${inRepository("out put.txt")}${after}`);
    expect(source).toBe("file");
    expect(text === WHOLE).toBe(true);
  });

  it("D1 has no secrets, even where a piece of the file ends within one", async () => {
    const text = `${"x".repeat(64 * 1024 - 5)}${SECRET} ${"y".repeat(70_000)}${SECRET}`;
    writeFileSync(inRepository("out.txt"), text);
    const output = await read(cut(inRepository("out.txt")));
    expect(output.source).toBe("file");
    expect(output.text.includes(SECRET)).toBe(false);
    expect(output.text.replaceAll("[redacted]", SECRET) === text).toBe(true);
  });

  it("D1 ends at the limit of a file, and says so", async () => {
    writeFileSync(inRepository("big.txt"), "start");
    truncateSync(inRepository("big.txt"), MAX_FILE_BYTES + 1_000);
    const { source, omittedBytes, text } = await read(cut(inRepository("big.txt")));
    expect({ source, omittedBytes }).toEqual({ source: "file", omittedBytes: 1_000 });
    expect(text.slice(-40)).toContain("[… 1,000 bytes left out …]");
  });
});

describe("a file that the output names", () => {
  it.each<readonly [string, (target: string) => string]>([
    ["is outside", (target) => target],
    ["is outside by its path", () => inRepository("..", "..", "target.txt")],
    ["is a link", (target) => linked(target)],
    ["is in a folder that is a link", () => throughFolder()],
    ["is another name of a file", (target) => hardLinked(target)],
    ["is a FIFO", () => fifo()],
    ["is a folder", () => inRepository(".")],
    ["is missing", () => inRepository("missing.txt")],
    ["belongs to Git", () => inGit()],
    ["is a device", () => "/dev/zero"],
    ["is a relative path", () => "../../target.txt"],
  ])("D1 is not read if it %s", async (_, nameFor) => {
    const target = outside("target.txt");
    writeFileSync(target, "not for you");
    const text = cut(nameFor(target));
    expect(await read(text)).toEqual({ source: "stored", omittedBytes: 0, text });
  });
});

function linked(target: string): string {
  symlinkSync(target, inRepository("link.txt"));
  return inRepository("link.txt");
}

function throughFolder(): string {
  symlinkSync(test.folder, inRepository("folder"));
  return inRepository("folder", "target.txt");
}

function hardLinked(target: string): string {
  linkSync(target, inRepository("hard.txt"));
  return inRepository("hard.txt");
}

function fifo(): string {
  execFileSync("mkfifo", [inRepository("fifo")]);
  return inRepository("fifo");
}

function inGit(): string {
  writeFileSync(inRepository(".git", "config"), "url = https://user:password@host");
  return inRepository(".git", "config");
}

describe("a file in the agent's own folder", () => {
  const home = (...names: string[]): string => outside("home", ...names);
  beforeEach(async () => {
    mkdirSync(home("outputs", "s1"), { recursive: true });
    await test.restartWith({
      agents: [
        {
          env: { AGENT_HOME: home() },
          definition: { outputFiles: ["$AGENT_HOME/outputs/*/*.txt"] },
        },
      ],
    });
  });

  it("D1 is read if the agent is known to leave outputs there", async () => {
    writeFileSync(home("outputs", "s1", "out.txt"), WHOLE);
    const { source, text } = await read(cut(home("outputs", "s1", "out.txt")));
    expect(source).toBe("file");
    expect(text === WHOLE).toBe(true);
  });

  it.each([
    ["has another name", () => put(home("outputs", "s1", "credentials.json"))],
    ["is elsewhere", () => put(home("credentials.txt"))],
    ["is too deep", () => put(home("outputs", "s1", "more", "out.txt"))],
    ["is behind a link in the folder", () => behindLink()],
  ])("D1 is not read if it %s", async (_, fileFor) => {
    const text = cut(fileFor());
    expect(await read(text)).toEqual({ source: "stored", omittedBytes: 0, text });
  });

  function put(file: string): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "a login");
    return file;
  }

  function behindLink(): string {
    put(outside("elsewhere", "out.txt"));
    symlinkSync(outside("elsewhere"), home("outputs", "s2"));
    return home("outputs", "s2", "out.txt");
  }
});
