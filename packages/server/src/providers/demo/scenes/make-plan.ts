import type { Stage } from "../stage.ts";

const STEPS = ["Look at what is there", "Decide what to do", "Do it", "Say what was done"];

export async function makePlan(stage: Stage): Promise<void> {
  await stage.say("Here is a plan. It shows how one moves along; nothing is changed by it.\n\n");
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
