import type { Stage } from "../stage.ts";
import { DEMO_COMMANDS } from "../understand.ts";

export async function explain(stage: Stage): Promise<void> {
  await stage.say(EXPLANATION);
}

const commands = DEMO_COMMANDS.map(
  ({ name, hint, description }) =>
    `${`/${name}${hint === null ? "" : ` ${hint}`}`.padEnd(28)}${description}`,
).join("\n");

/** Its first sentence must leave no doubt about what is speaking. */
const EXPLANATION = `I am Holdfast's demo agent: a small program with fixed answers, not a language model. \
I need no key and no network, and I am here so that you can try what Holdfast does around an agent.

## What Holdfast does

- A session outlives every process: kill me, restart the server, and the session goes on.
- What I say is stored while I say it. Reconnect, and nothing is missing or doubled.
- What I ask you waits until you answer, even over a restart.
- The next message may go to another agent; it is told what was said before.

## What you can ask me

Plain words will do, such as *look at the repository*, *write a note: hello*, *run the tests* or *count to 50*. \
So will these:

\`\`\`text
${commands}
\`\`\`

For real work, install an agent and choose it as the provider of a message.`;
