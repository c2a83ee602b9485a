import type { Stage } from "../stage.ts";
import type { Wish } from "../understand.ts";
import { count } from "./count.ts";
import { editFile } from "./edit-file.ts";
import { explain } from "./explain.ts";
import { makePlan } from "./make-plan.ts";
import { readFile } from "./read-file.ts";
import { recall, remember } from "./remember.ts";
import { runCommand } from "./run-command.ts";

/** Does what was wished for. */
export async function play(stage: Stage, wish: Wish): Promise<void> {
  switch (wish.wish) {
    case "explain":
      return explain(stage);
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
      await stage.think("The question is what to think about. ");
      await stage.think("A demo has no thoughts of its own, so it shows where thoughts appear. ");
      return stage.say("I thought about it: these words were shown apart, as thoughts are.");
    case "remember":
      return remember(stage, wish.text);
    case "recall":
      return recall(stage);
    case "go on":
      return stage.say(
        "There is nothing left to go on with. Ask for something new, or for `/help`.",
      );
    case "crash":
      await stage.say("I will now end in the middle of a");
      return stage.crash("demo agent: it was asked to crash, and does");
    default:
      return wish satisfies never;
  }
}
