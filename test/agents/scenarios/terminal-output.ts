import assert from "node:assert/strict";
import type { Message } from "../../../packages/protocol/src/index.ts";
import type { Scenario } from "../scenario.ts";
import { openSession } from "../session-driver.ts";
import { commandOf, startCommand } from "./running-command.ts";

const TRUTH = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");
/** Agents that send the output of a command to their model only. */
const SILENT: ReadonlySet<string> = new Set(["gemini"]);
/** Words with which agents say that they cut the output themselves. */
const CUT = /truncated|omitted|saved to|too large|left out|full output|\[\.\.\.|…/iu;

/** Every byte of a command's output, as far as the agent reports it, and the exit code. */
export const terminalOutput: Scenario = {
  name: "terminal-output",
  title: "output of `seq 1 20000`",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await startCommand({ rig, session }, "seq 1 20000");
    const now = await session.idle();
    const command = commandOf(now);
    assert.ok(command !== null, "there is no tool call");
    const text = textOf(command);
    await session.remove();
    const exit = exitOf(command);
    const exitNote = exit === null ? "no exit code" : `exit ${exit}`;
    if (text === TRUTH) return `every byte, ${exitNote}`;
    if (text.trimEnd() === TRUTH.trimEnd()) return `every byte but the last line end, ${exitNote}`;
    if (text.includes(TRUTH.trimEnd())) return `every byte, with words around them, ${exitNote}`;
    if (text === "" && SILENT.has(agent.name)) return "the agent reports no output";
    const shown = JSON.stringify(command.content).slice(0, 400);
    assert.match(text, CUT, `neither whole nor said to be cut: ${shown}`);
    return `cut by the agent: ${text.length.toLocaleString("en")} of ${TRUTH.length.toLocaleString("en")} bytes`;
  },
};

function outputOf({ content }: Message): readonly Readonly<Record<string, unknown>>[] {
  const { output } = content;
  return Array.isArray(output) ? output : [];
}

function textOf(message: Message): string {
  const texts = outputOf(message).flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  return texts.join("\n");
}

function exitOf(message: Message): number | null {
  const codes = outputOf(message).map(({ exitCode }) => exitCode);
  return codes.find((code) => typeof code === "number") ?? null;
}
