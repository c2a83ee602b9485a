/** The text of the message box and the position of the caret. */
export interface BoxText {
  readonly text: string;
  readonly caret: number;
}

/** A slash command of an agent. */
export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string | null;
}

/** The query after a leading slash; null when no command is typed. */
export function slashQuery(text: string, caret: number): string | null {
  const typed = /^\/(\S*)$/u.exec(text.slice(0, caret));
  return typed === null ? null : (typed[1] ?? "").toLowerCase();
}

/** Commands that start with the query first, then those that contain it. */
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

/** Replaces the typed command. Returns the text and the new caret. */
export function withCommand(text: string, { name }: SlashCommand): BoxText {
  const rest = text.replace(/^\/\S*\s?/u, "");
  const command = `/${name} `;
  return { text: command + rest, caret: command.length };
}
