import assert from "node:assert/strict";
import type { Message } from "../../../packages/protocol/src/index.ts";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { openSession } from "../session-driver.ts";
import { commandOf, startCommand } from "./running-command.ts";

const TRUTH = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("");

/** Agents whose file is not whole either, and why: seen in their source. */
const OWN_LIMITS: ReadonlyMap<string, string> = new Map([
  ["qwen", "it reads the output from a terminal that keeps about 10,000 lines"],
]);

/**
 * Every byte of a command's output: reported by the agent, or cut by the agent, which must say so, and fetched from the
 * file that the agent named.
 */
export const terminalOutput: Scenario = {
  name: "terminal-output",
  title: "output of `seq 1 20000`",
  run: async ({ rig, agent }) => {
    const session = await openSession(rig, agent.name);
    await startCommand({ rig, session }, "seq 1 20000");
    const command = commandOf(await session.idle());
    assert.ok(command !== null, "there is no tool call");
    const reported = textOf(command);
    const exit = exitOf(command);
    const exitNote = exit === null ? "no exit code" : `exit ${exit}`;
    const fetched = await rig.client.sessions.output(session.id, command.id);
    await session.remove();
    const how = wholeness(reported);
    if (how !== null) return `${how}, ${exitNote}`;
    const shown = JSON.stringify(command.content).slice(0, 1_500);
    assert.match(reported, /saved to/iu, `neither whole nor said to be cut: ${shown}`);
    if (agent.name === "copilot")
      throw new Unsupported("its file is in its temporary folder, which is not kept");
    assert.equal(fetched.source, "file", `the file was not read: ${shown}`);
    const cut = `${reported.length.toLocaleString("en")} of ${TRUTH.length.toLocaleString("en")} bytes`;
    const limit = OWN_LIMITS.get(agent.name);
    if (limit !== undefined) return `cut by the agent (${cut}); ${endOf(fetched.text)}: ${limit}`;
    const whole = wholeness(fetched.text);
    assert.ok(whole !== null, `the file is not whole: ${fetched.text.slice(0, 400)}`);
    return `cut by the agent (${cut}); its file: ${whole}`;
  },
};

/** Null if something is missing. */
function wholeness(text: string): string | null {
  if (text === TRUTH) return "every byte";
  if (text.trimEnd() === TRUTH.trimEnd()) return "every byte but the last line end";
  return text.includes(TRUTH.trimEnd()) ? "every byte, with words around them" : null;
}

/** The file must have the end of the output without a gap. */
function endOf(text: string): string {
  const first = Number(/^(?:Output: )?(\d+)$/mu.exec(text)?.[1]);
  const end = TRUTH.slice(TRUTH.indexOf(`\n${first}\n`) + 1).trimEnd();
  assert.ok(first > 1 && text.includes(end), `not the end of the output: ${text.slice(0, 400)}`);
  return `its file has the last ${(20_001 - first).toLocaleString("en")} of 20,000 lines`;
}

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
