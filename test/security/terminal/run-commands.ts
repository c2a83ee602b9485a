import { readFileSync } from "node:fs";
import { z } from "zod";
import { main } from "../../../packages/server/src/cli/main.ts";

/** Runs command lines one after another in this process, each after a line that separates the outputs. */
const [file = ""] = process.argv.slice(2);
const commandLines = z.array(z.array(z.string())).parse(JSON.parse(readFileSync(file, "utf8")));
for (const [index, commandLine] of commandLines.entries()) {
  process.stdout.write(`\n@@${index}\n`);
  await main(commandLine);
  process.stdout.removeAllListeners("error");
}
process.stdout.write(`\n@@${commandLines.length}\n`);
process.exit(0);
