import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Message, WholeSession } from "../../../packages/protocol/src/index.ts";
import type { Rig } from "../rig.ts";
import type { SessionDriver } from "../session-driver.ts";

const START_MS = 90_000;

/** Lets the agent run a command, allows it, and returns when it runs. `whileAsked` is called while the agent asks. */
export async function startCommand<Result>(
  { rig, session }: { readonly rig: Rig; readonly session: SessionDriver },
  command: string,
  whileAsked: () => Promise<Result | null> = async () => null,
): Promise<{ readonly waited: Result | null }> {
  const begun = session.fileNamed("begun");
  await session.send(`RUN touch '${begun}'; ${command}`);
  const deadline = Date.now() + START_MS;
  let waited: Result | null = null;
  for (const answered = new Set<string>(); !existsSync(begun);) {
    const { suspensions } = await rig.client.sessions.get(session.id);
    for (const asked of suspensions.filter(({ id }) => !answered.has(id))) {
      answered.add(asked.id);
      waited = await whileAsked();
      await session.answer(asked, "allow_once");
    }
    if (Date.now() > deadline) throw new Error("the command did not start");
    await pause(50);
  }
  return { waited };
}

/** The tool call of the command, whatever the agent calls it. */
export function commandOf({ messages }: WholeSession): Message | null {
  return messages.findLast(({ content }) => content.type === "tool") ?? null;
}
