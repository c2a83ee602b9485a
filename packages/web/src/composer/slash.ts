/** What an agent understands at the beginning of a message. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string | null;
}

/** What is being typed after a slash at the beginning; null when no command is. */
export function slashQuery(text: string, caret: number): string | null {
  const typed = /^\/(\S*)$/u.exec(text.slice(0, caret));
  return typed === null ? null : (typed[1] ?? "").toLowerCase();
}

/** Those that begin with it first, then those that have it anywhere. */
export function matchingCommands(
  commands: readonly SlashCommand[],
  query: string,
): readonly SlashCommand[] {
  const starts = commands.filter(({ name }) => name.toLowerCase().startsWith(query));
  const has = commands.filter(
    (command) => !starts.includes(command) && command.name.toLowerCase().includes(query),
  );
  return [...starts, ...has];
}

/** The text with the command in place of what was typed of it, and where the caret is then. */
export function withCommand(
  text: string,
  { name }: SlashCommand,
): { readonly text: string; readonly caret: number } {
  const rest = text.replace(/^\/\S*\s?/u, "");
  const command = `/${name} `;
  return { text: command + rest, caret: command.length };
}
