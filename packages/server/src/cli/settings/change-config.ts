import { existsSync, readFileSync, realpathSync } from "node:fs";
import { defined } from "../../domain/defined.ts";
import { isObject } from "../../domain/json.ts";
import { checkConfig, configFileIn, readConfigFile } from "./config-file.ts";
import { makeDataFolder } from "./data-folder.ts";
import { replaceFile } from "./replace-file.ts";
import { rewriteJson, withoutMark } from "./rewrite-json.ts";

/** The settings that a command or the page changes. */
export interface ConfigChanges {
  readonly defaultProvider?: string | undefined;
  /** Absolute. */
  readonly workspaceRoot?: string | undefined;
}

export interface ChangedConfig {
  readonly file: string;
  /** False if the file already had these settings. */
  readonly isChanged: boolean;
}

/** Writes settings to the config file of the data folder. The rest of the file keeps its content and its formatting. */
export function changeConfigFile(dataFolder: string, changes: ConfigChanges): ChangedConfig {
  // Refuses an invalid file, with the line.
  readConfigFile(dataFolder);
  makeDataFolder(dataFolder);
  const file = configFileIn(dataFolder);
  const text = existsSync(file) ? readFileSync(file, "utf8") : null;
  const { mark, json } = withoutMark(text ?? "{}\n");
  const before: unknown = JSON.parse(json);
  const value = { ...(isObject(before) ? before : {}), ...defined({ ...changes }) };
  const next = `${mark}${rewriteJson(json, value)}`;
  if (next === text) return { file, isChanged: false };
  checkConfig(file, withoutMark(next).json);
  const realFile = text === null ? file : realpathSync(file);
  replaceFile({ file, realFile, text }, next);
  return { file, isChanged: true };
}
