/**
 * `node without-resume.ts RECORD PROGRAM …` is between a client and an agent. It hides that the agent can resume sessions, so that
 * the client loads them, and appends what the agent sends to the file RECORD.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [record = "", program = "", ...args] = process.argv.slice(2);
const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
process.stdin.pipe(agent.stdin);
createInterface({ input: agent.stdout }).on("line", (line) => {
  appendFileSync(record, `${line}\n`);
  const visible = JSON.stringify(JSON.parse(line), (name, value: unknown) =>
    name === "resume" ? undefined : value,
  );
  process.stdout.write(`${visible}\n`);
});
