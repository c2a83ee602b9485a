import { addRemembered } from "../demo-memory.ts";
import type { Stage } from "../stage.ts";

export async function remember(stage: Stage, text: string): Promise<void> {
  if (text === "") return stage.say("Tell me what to remember, as in `remember the door is blue`.");
  stage.change(addRemembered(stage.memory, text));
  await stage.say(
    `I will remember: ${text}\n\nAsk me later *what did I say*, also after a restart.`,
  );
}

export async function recall(stage: Stage): Promise<void> {
  const { remembered, said, briefing } = stage.memory;
  const earlier = said.filter(({ who }) => who === "user").slice(0, -1);
  const told = (briefing ?? "").split("\n").filter((line) => line.trim() !== "");
  const lines = [
    ...section(
      "What I was told when I came in",
      told.map((line) => line.slice(0, 120)).slice(0, 20),
    ),
    ...section("What you told me to remember", remembered),
    ...section(
      "What you said in this session",
      earlier.map(({ text }) => text.replaceAll(/\s+/gu, " ").slice(0, 120)).slice(-10),
    ),
  ];
  await stage.say(
    lines.length === 0 ? "You have told me nothing yet in this session." : lines.join("\n"),
  );
}

function section(title: string, items: readonly string[]): readonly string[] {
  return items.length === 0 ? [] : [`**${title}**\n`, ...items.map((item) => `- ${item}`), ""];
}
