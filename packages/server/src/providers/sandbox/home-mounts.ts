import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { readMount, type Mount } from "./mount.ts";

type Environment = Readonly<Record<string, string>>;

/** An empty home folder that contains only the user's Git settings. */
export function homeMounts(environment: Environment): readonly Mount[] {
  const home = homeOf(environment);
  if (home === null) return [];
  const config = environment["XDG_CONFIG_HOME"] ?? path.join(home, ".config");
  const settings = [
    path.join(home, ".gitconfig"),
    // Not the whole folder: it may contain passwords.
    ...["config", "ignore", "attributes"].map((name) => path.join(config, "git", name)),
  ];
  return [
    { kind: "fresh", path: home },
    ...settings.filter((file) => existsSync(file)).map(readMount),
  ];
}

/** Null if there is no home folder that can be hidden. */
export function homeOf({ HOME: home = "" }: Environment): string | null {
  return path.isAbsolute(home) && path.resolve(home) !== "/" ? path.resolve(home) : null;
}

/**
 * Reads the `mounts` of a definition. `~/` and `$NAME` at the start are expanded as in a shell. `:ro` at the end means
 * read-only. `/` at the end means a folder that is created if it does not exist. Other missing paths are left out.
 */
export function configuredMounts(
  entries: readonly string[],
  environment: Environment,
): readonly Mount[] {
  return entries.flatMap((entry): readonly Mount[] => {
    const isReadOnly = entry.endsWith(":ro");
    const pattern = isReadOnly ? entry.slice(0, -3) : entry;
    const expanded = expand(pattern, environment);
    if (expanded === null || !path.isAbsolute(expanded)) return [];
    const target = path.resolve(expanded);
    if (target === "/") return [];
    if (pattern.endsWith("/") && !isReadOnly) createFolder(target);
    return existsSync(target) ? [{ kind: isReadOnly ? "read" : "write", path: target }] : [];
  });
}

/** Null if the home folder or the variable is not set. */
function expand(pattern: string, environment: Environment): string | null {
  if (pattern.startsWith("~/")) {
    const home = homeOf(environment);
    return home === null ? null : path.join(home, pattern.slice(2));
  }
  const variable = /^\$([A-Za-z_]\w*)(\/.*)?$/u.exec(pattern);
  if (variable === null) return pattern;
  const value = environment[variable[1] ?? ""];
  return value === undefined || value === "" ? null : `${value}${variable[2] ?? ""}`;
}

/** Creates the folder as the agent would. If that fails, the agent works without it. */
function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The file system is read-only, or a file has this name.
  }
}
