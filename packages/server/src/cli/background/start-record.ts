import path from "node:path";
import { z } from "zod";
import { defined } from "../../domain/defined.ts";
import { readJsonFile, replaceJsonFile } from "../settings/data-folder.ts";
import { settingsIn } from "../settings/setting-variables.ts";
import type { Environment, ServeFlags } from "../settings/settings.ts";

const startPlanSchema = z.object({
  /** The folder in which the server is started: paths are relative to it, and it is the default workspace root. */
  folder: z.string(),
  flags: z.object({
    host: z.string().optional(),
    port: z.string().optional(),
    database: z.string().optional(),
  }),
  /** The environment variables that are settings. They can contain the token and the password of the database. */
  environment: z.record(z.string(), z.string()),
});

const startRecordSchema = startPlanSchema.extend({
  /** The server that was started so. */
  pid: z.int(),
});

/** Everything but the data folder that decides how a server starts. */
export type StartPlan = z.infer<typeof startPlanSchema>;
export type StartRecord = z.infer<typeof startRecordSchema>;

export function startPlan(
  { host, port, database }: ServeFlags,
  environment: Environment,
  folder: string,
): StartPlan {
  return {
    folder,
    flags: defined({ host, port, database }),
    environment: settingsIn(environment),
  };
}

/** The arguments of `holdfast` that start this server in the foreground. */
export function serveArguments(dataFolder: string, { flags }: Pick<StartPlan, "flags">): string[] {
  const words = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  );
  return ["serve", "--data", dataFolder, ...words];
}

/** For `holdfast restart`, readable by the owner only. */
export function writeStartRecord(dataFolder: string, record: StartRecord): void {
  replaceJsonFile(startFileIn(dataFolder), record);
}

/** Null when no server was started in the background, or the file cannot be read. */
export function readStartRecord(dataFolder: string): StartRecord | null {
  return readJsonFile(startFileIn(dataFolder), startRecordSchema);
}

function startFileIn(dataFolder: string): string {
  return path.join(dataFolder, "start.json");
}
