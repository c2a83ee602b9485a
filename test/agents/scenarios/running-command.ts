import type { Message, WholeSession } from "../../../packages/protocol/src/index.ts";
import type { SessionDriver } from "../session-driver.ts";

/** Lets the agent run a command, allows it, and returns when it runs. `whileAsked` is called while the agent asks. */
export async function startCommand<Result>(
  session: SessionDriver,
  command: string,
  whileAsked: () => Promise<Result | null> = async () => null,
): Promise<{ readonly waited: Result | null }> {
  await session.send(`RUN ${command}`);
  const isRunning = ({ state, messages }: WholeSession): boolean =>
    state !== "suspended" && messages.some(isAtWork);
  const now = await session.until(
    "a command that runs, or a question",
    (whole) => whole.suspension?.kind === "permission" || isRunning(whole) || isOver(whole),
  );
  const [asked] = now.suspensions;
  if (asked === undefined) return { waited: null };
  const waited = await whileAsked();
  await session.answer(asked, "allow_once");
  await session.until("a command that runs", (whole) => isRunning(whole) || isOver(whole));
  return { waited };
}

/** The tool call of the command, whatever the agent calls it. */
export function commandOf({ messages }: WholeSession): Message | null {
  return messages.findLast(({ content }) => content.type === "tool") ?? null;
}

function isAtWork({ content }: Message): boolean {
  return content.type === "tool" && content["status"] === "in_progress";
}

function isOver({ state, messages }: WholeSession): boolean {
  return state === "idle" && messages.some(({ role }) => role === "agent");
}
