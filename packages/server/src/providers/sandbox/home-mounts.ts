import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Mount } from "./mount.ts";

type Environment = Readonly<Record<string, string>>;

/** The home as the agent finds it: empty, but for the user's settings of Git. */
export function homeMounts(environment: Environment): readonly Mount[] {
  const home = homeOf(environment);
  if (home === null) return [];
  const config = environment["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  const settings = [
    path.join(home, ".gitconfig"),
    // Not the folder: passwords may be in it.
    ...["config", "ignore", "attributes"].map((name) => path.join(config, "git", name)),
  ];
  return [
    { kind: "fresh", path: home },
    ...settings.filter(isThere).map((file): Mount => ({ kind: "read", path: file })),
  ];
}

/** Null when there is none that could be hidden. */
export function homeOf({ HOME: home = "" }: Environment): string | null {
  return path.isAbsolute(home) && path.resolve(home) !== "/" ? path.resolve(home) : null;
}

/**
 * What a definition's `mounts` mean: `~/` and `$NAME` at the beginning stand for what they do in a shell, `:ro` at the
 * end is for what is not to be changed, and a folder with `/` at the end is made when it is not there. What is not
 * there otherwise is left out.
 */
export function askedMounts(asked: readonly string[], environment: Environment): readonly Mount[] {
  return asked.flatMap((entry): readonly Mount[] => {
    const isReadOnly = entry.endsWith(":ro");
    const written = isReadOnly ? entry.slice(0, -3) : entry;
    const expanded = expand(written, environment);
    if (expanded === null || !path.isAbsolute(expanded)) return [];
    const target = path.resolve(expanded);
    if (target === "/") return [];
    if (written.endsWith("/") && !isReadOnly) make(target);
    return isThere(target) ? [{ kind: isReadOnly ? "read" : "write", path: target }] : [];
  });
}

/** Null when it stands on something that is not set. */
function expand(written: string, environment: Environment): string | null {
  if (written.startsWith("~/")) {
    const home = homeOf(environment);
    return home === null ? null : path.join(home, written.slice(2));
  }
  const variable = /^\$([A-Za-z_]\w*)(\/.*)?$/u.exec(written);
  if (variable === null) return written;
  const value = environment[variable[1] ?? ""];
  return value === undefined || value === "" ? null : `${value}${variable[2] ?? ""}`;
}

/** As the agent would do it. Where it cannot be made, the agent does without. */
function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Read-only, or something else is in the way.
  }
}

function isThere(file: string): boolean {
  return existsSync(file);
}
