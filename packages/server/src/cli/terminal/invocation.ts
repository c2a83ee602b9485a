import path from "node:path";
import type { Environment } from "../settings/settings.ts";
import { PROGRAM_FILE } from "../version.ts";

export interface Invocation {
  readonly environment: Environment;
  /** The file that starts the program. */
  readonly programFile: string;
}

/** A command as this user can type it, for advice: `holdfast up`, `npx holdfast up` or `npm run holdfast -- up`. */
export function commandLine(
  rest: string,
  invocation: Invocation = { environment: process.env, programFile: PROGRAM_FILE },
): string {
  return `${programWords(invocation)} ${rest}`;
}

/** npm passes these variables on to everything it starts, so they count only for a program in the right place. */
function programWords({ environment, programFile }: Invocation): string {
  const { npm_lifecycle_event: script, npm_package_name: project, npm_command } = environment;
  const isInstalled = programFile.split(path.sep).includes("node_modules");
  if (isInstalled) return npm_command === "exec" && script === "npx" ? "npx holdfast" : "holdfast";
  const isRunByNpm =
    project === "holdfast-repository" && ["start", "holdfast"].includes(script ?? "");
  return isRunByNpm ? "npm run holdfast --" : "holdfast";
}
