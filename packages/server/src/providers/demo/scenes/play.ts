import { addRemembered } from "../demo-memory.ts";
import type { Stage } from "../stage.ts";
import { DEMO_COMMANDS, type Wish } from "../understand.ts";
import { editFile } from "./edit-file.ts";
import { readFile } from "./read-file.ts";
import { runCommand } from "./run-command.ts";

/** Plays the scene that answers a wish. */
export async function play(stage: Stage, wish: Wish): Promise<void> {
  switch (wish.wish) {
    case "explain":
      return stage.say(EXPLANATION);
    case "plan":
      return makePlan(stage);
    case "read":
      return readFile(stage, wish.path);
    case "edit":
      return editFile(stage, wish.note);
    case "run":
      return runCommand(stage);
    case "count":
      return count(stage, wish.to);
    case "think":
      await stage.think("I am wondering what to think about. ");
      await stage.think(
        "A demo has no thoughts of its own, so this only shows where they appear. ",
      );
      return stage.say("Done. My thoughts are shown separately, above this answer.");
    case "remember":
      return remember(stage, wish.text);
    case "recall":
      return recall(stage);
    case "go on":
      return stage.say(
        "There is nothing left to continue. Ask for something new, or type `/help`.",
      );
    case "crash":
      await stage.say("I am about to crash in the middle of a");
      return stage.crash("demo agent: crashed on request");
    default:
      return wish satisfies never;
  }
}

const COMMANDS = DEMO_COMMANDS.map(
  ({ name, hint, description }) =>
    `${`/${name}${hint === null ? "" : ` ${hint}`}`.padEnd(28)}${description}`,
).join("\n");

/** The first sentence must make clear that this is not a real agent. */
const EXPLANATION = `I am Holdfast's demo agent: a small program with fixed answers, not a language model. \
I need no API key and no network. I am here so that you can try what Holdfast does for an agent.

## What Holdfast does

- A session outlives every process: kill me or restart the server, and the session goes on.
- My answers are stored while they stream. If you reconnect, nothing is missing and nothing appears twice.
- When I ask for permission, the question waits until you answer it, even across a restart.
- Your next message may go to a different agent, which receives the earlier conversation.

## What you can ask me

Plain words work, for example *look at the repository*, *write a note: hello*, *run the tests* or *count to 50*. \
So do these commands:

\`\`\`text
${COMMANDS}
\`\`\`

For real work, install an agent and choose it as the provider of a message.`;

const STEPS = ["Look at the repository", "Decide what to do", "Do it", "Report what was done"];

async function makePlan(stage: Stage): Promise<void> {
  await stage.say("Here is a plan. It only shows how a plan progresses; I change nothing.\n\n");
  for (let done = 0; done <= STEPS.length; done += 1) {
    stage.update({
      sessionUpdate: "plan",
      entries: STEPS.map((content, index) => ({
        content,
        priority: index === 2 ? "high" : "medium",
        status: index < done ? "completed" : index === done ? "in_progress" : "pending",
      })),
    });
    if (done < STEPS.length) await stage.pause(400);
  }
  await stage.say("All four steps of the plan are done.");
}

async function count(stage: Stage, to: number): Promise<void> {
  await stage.say(
    `I am counting slowly to ${to}. Try to cancel me, reload the page, or kill the server.\n\n`,
  );
  for (let number = 1; number <= to; number += 1) {
    await stage.say(number === to ? `${number}.` : `${number}, `);
    await stage.pause(300);
  }
  await stage.say("\n\nDone.");
}

async function remember(stage: Stage, text: string): Promise<void> {
  if (text === "")
    return stage.say("Tell me what to remember, for example `remember the door is blue`.");
  stage.change(addRemembered(stage.memory, text));
  await stage.say(
    `I will remember: ${text}\n\nAsk me later *what did I say?* It also works after a restart.`,
  );
}

async function recall(stage: Stage): Promise<void> {
  const { remembered, conversation, briefing } = stage.memory;
  const earlier = conversation.filter(({ who }) => who === "user").slice(0, -1);
  const briefingLines = (briefing ?? "").split("\n").filter((line) => line.trim() !== "");
  const lines = [
    ...section(
      "The earlier conversation, as I received it",
      briefingLines.map((line) => line.slice(0, 120)).slice(0, 20),
    ),
    ...section("What you asked me to remember", remembered),
    ...section(
      "What you said in this session",
      earlier.map(({ text }) => text.replaceAll(/\s+/gu, " ").slice(0, 120)).slice(-10),
    ),
  ];
  await stage.say(
    lines.length === 0 ? "You have not told me anything in this session yet." : lines.join("\n"),
  );
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`**${title}**\n`, ...items.map((item) => `- ${item}`), ""];
}
