export type Environment = Readonly<Record<string, string>>;

export type GitSetting = readonly [name: string, value: string];

/** Settings that override those in all files. Variables, because Git splits the argument of `-c` at the first `=`. */
export function gitVariables(settings: readonly GitSetting[]): Environment {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { ...Object.fromEntries(pairs), GIT_CONFIG_COUNT: String(settings.length) };
}

const MAX_SETTINGS = 1_000;

/** The settings in the variables of an environment. */
export function gitSettingsIn(
  environment: Readonly<Record<string, string | undefined>>,
): readonly GitSetting[] {
  const count = Math.min(Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0, MAX_SETTINGS);
  return Array.from({ length: Math.max(count, 0) }).flatMap((_, index): GitSetting[] => {
    const name = environment[`GIT_CONFIG_KEY_${index}`];
    const value = environment[`GIT_CONFIG_VALUE_${index}`];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}
