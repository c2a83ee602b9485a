import { statSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { CommandFailure, EXIT } from "../exit.ts";
import type { DataFlags, Environment } from "../settings/settings.ts";
import { diffLines, type DiffLine } from "../talk/diff-lines.ts";
import { versionedLine } from "../terminal/json-output.ts";
import { neutralise } from "../terminal/neutralise.ts";
import { createPaint } from "../terminal/paint.ts";
import { askYesNo } from "../terminal/confirm.ts";
import { canAsk, terminalOf, type Terminal } from "../terminal/terminal.ts";
import { commandLine, hookProgram, type HookProgram } from "./hook-command.ts";
import { withHooks, withoutHooks } from "./hook-entries.ts";
import { rewriteJson, withoutMark } from "../settings/rewrite-json.ts";
import { replaceFile } from "../settings/replace-file.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";

export interface InstallFlags extends DataFlags {
  /** A folder (default: the current one). */
  readonly project?: string;
  /** The project's settings that are not shared. */
  readonly local?: true;
  /** The user's own settings, for all projects. */
  readonly user?: true;
  readonly uninstall?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export interface InstallOptions {
  readonly flags: InstallFlags;
  readonly env: Environment;
  readonly terminal?: Pick<Terminal, "stdin" | "stdout" | "stderr">;
  readonly ask?: (question: string) => Promise<boolean>;
  readonly program?: HookProgram;
}

export function install(flags: InstallFlags): Promise<number> {
  return installHooks({ flags, env: process.env });
}

/** Writes the hooks into the settings of Claude Code, or removes them. Throws a `CommandFailure`. */
export async function installHooks({
  flags,
  env,
  terminal = terminalOf(process),
  ask = askYesNo,
  program = hookProgram(env),
}: InstallOptions): Promise<number> {
  if (flags.database !== undefined) {
    throw new CommandFailure(
      "A database URL may hold a password and is not written to settings. Set HOLDFAST_DATABASE_URL in the environment of Claude Code instead.",
      EXIT.usage,
    );
  }
  const file = readSettingsFile(...placeOf(flags, env));
  const next = nextText(file, flags, program);
  const isSame = next === (file.text ?? "");
  const isForPeople = flags.json !== true;
  const say = (text: string): void => void terminal.stdout.stream.write(`${text}\n`);
  if (isForPeople) for (const line of preface({ flags, env, program }, file, next)) say(line);
  if (isForPeople && !isSame) for (const line of shownDiff(file, next, terminal)) say(line);

  let written = false;
  if (!isSame && flags.dryRun !== true) {
    if (flags.yes !== true && !canAsk({ ...terminal, signals: process })) {
      throw new CommandFailure(
        "Nothing was changed. Pass --yes to write the changes, or --dry-run to only show them.",
        EXIT.usage,
      );
    }
    if (flags.yes !== true && !(await ask(`Write this to ${file.realFile}?`))) {
      if (isForPeople) say("Nothing was changed.");
      return EXIT.no;
    }
    replaceFile(file, next);
    written = true;
  }
  if (isForPeople) say(lastLine(flags, program, isSame, file.file));
  else
    terminal.stdout.stream.write(
      versionedLine({
        file: file.realFile,
        changed: !isSame,
        written,
        command: program.command,
        onPath: program.onPath !== null,
      }),
    );
  return EXIT.done;
}

function placeOf(
  { project, local, user }: InstallFlags,
  env: Environment,
): Parameters<typeof readSettingsFile> {
  if (user === true) {
    if (local === true || project !== undefined)
      throw new CommandFailure(
        "--user applies to all projects and cannot be combined with --project or --local.",
        EXIT.usage,
      );
    const own = env["CLAUDE_CONFIG_DIR"] ?? "";
    const folder = own === "" ? path.join(env["HOME"] ?? homedir(), ".claude") : path.resolve(own);
    return [path.join(folder, "settings.json"), { inside: null }];
  }
  const folder = path.resolve(project ?? ".");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandFailure(`The project ${folder} is not a folder.`, EXIT.usage);
  const name = local === true ? "settings.local.json" : "settings.json";
  return [path.join(folder, ".claude", name), { inside: folder }];
}

function nextText(
  { text, value }: SettingsFile,
  flags: InstallFlags,
  program: HookProgram,
): string {
  const next =
    flags.uninstall === true
      ? withoutHooks(value)
      : withHooks(value, (hook) => commandLine(program, { words: ["hook", hook], flags }));
  const { mark, json } = withoutMark(text ?? "");
  if (json.trim() !== "") return mark + rewriteJson(json, next);
  return Object.keys(next).length === 0 ? (text ?? "") : `${JSON.stringify(next, null, 2)}\n`;
}

function preface(
  { flags, env, program }: Required<Pick<InstallOptions, "flags" | "env" | "program">>,
  { file, realFile, text, value }: SettingsFile,
  next: string,
): readonly string[] {
  const isShared = flags.user !== true && flags.local !== true;
  const isIn = flags.uninstall !== true && next !== text;
  return [
    file === realFile ? null : `${file} leads to ${realFile}.`,
    !isIn
      ? null
      : program.onPath === null
        ? `The hooks call Holdfast by its path: ${program.command}`
        : `The hooks call holdfast, which is ${program.onPath} on the PATH.`,
    isIn && isShared && program.onPath === null
      ? "That path is valid on this machine only. If these settings are shared, use --local."
      : null,
    isIn && flags.data === undefined && (env["HOLDFAST_DATA"] ?? "") !== ""
      ? "HOLDFAST_DATA only applies if Claude Code is started with it. Pass --data to write the folder into the settings."
      : null,
    isIn && value["disableAllHooks"] === true
      ? "These settings disable all hooks: disableAllHooks is true."
      : null,
  ]
    .filter((line) => line !== null)
    .map(neutralise);
}

function shownDiff(
  { realFile, text }: SettingsFile,
  next: string,
  { stdout }: Pick<Terminal, "stdout">,
): readonly string[] {
  const paint = createPaint(stdout);
  const style = { "+": paint.green, "-": paint.red, " ": paint.dim, "…": paint.dim };
  const { lines } = diffLines({ path: realFile, oldText: text, newText: next });
  const shown = (line: DiffLine): string =>
    style[line.mark](neutralise(`${line.mark} ${line.text}`).trimEnd());
  return [paint.bold(neutralise(realFile)), ...lines.map(shown)];
}

function lastLine(
  flags: InstallFlags,
  program: HookProgram,
  isSame: boolean,
  file: string,
): string {
  const isOut = flags.uninstall === true;
  if (isSame)
    return neutralise(`${file} ${isOut ? "has no hooks of Holdfast" : "already has the hooks"}.`);
  if (flags.dryRun === true) return "Nothing was changed.";
  if (isOut) return "The hooks are removed. The change takes effect when Claude Code starts again.";
  const words = ["hook", "pre-delegate", "--test"];
  return neutralise(
    `The hooks are installed. Test them with: ${commandLine(program, { words, flags })}`,
  );
}
