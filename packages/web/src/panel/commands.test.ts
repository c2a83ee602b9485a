import { expect, it } from "vitest";
import { sampleMessage } from "../session/testing/samples.ts";
import { commandsOf } from "./commands.ts";

const call = (id: string, seq: number, content: Record<string, unknown>) =>
  sampleMessage(id, {
    seq,
    role: "system",
    content: { type: "tool", tool: "shell", kind: "execute", status: "completed", ...content },
  });

it("lists commands, the last one first, with their output", () => {
  const commands = commandsOf([
    call("a", 1, {
      title: "`npm test`",
      args: { command: "npm test" },
      output: [{ type: "terminal", text: "ok", exitCode: 0 }],
    }),
    call("b", 3, { title: "`ls`", args: { path: "." }, output: [{ type: "text", text: "x\ny" }] }),
    call("c", 2, { kind: "read", title: "Read a file" }),
  ]);
  expect(commands.map(({ messageId, line }) => [messageId, line])).toEqual([
    ["b", "ls"],
    ["a", "npm test"],
  ]);
  expect(commands.map(({ outputs }) => outputs.map(({ text, exit }) => [text, exit]))).toEqual([
    [["x\ny", null]],
    [["ok", "exit code 0"]],
  ]);
});

it("takes output out of its code block", () => {
  const [command] = commandsOf([
    call("a", 1, { title: "ls", output: [{ type: "text", text: "```sh\na\n\nb\n```" }] }),
  ]);
  expect(command?.outputs.map(({ text }) => text)).toEqual(["a\n\nb"]);
});
