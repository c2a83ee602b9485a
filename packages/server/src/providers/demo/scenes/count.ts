import type { Stage } from "../stage.ts";

export async function count(stage: Stage, to: number): Promise<void> {
  await stage.say(`I count to ${to}, slowly. Cancel me, reload the page, or kill the server.\n\n`);
  for (let number = 1; number <= to; number += 1) {
    await stage.say(number === to ? `${number}.` : `${number}, `);
    await stage.pause(300);
  }
  await stage.say("\n\nThat was all.");
}
