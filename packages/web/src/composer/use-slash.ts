import { matchingCommands, slashQuery, type SlashCommand } from "./slash.ts";
import { useCompletion, type Completion } from "./use-completion.ts";

/** The commands that fit what is typed after a slash, and which of them is chosen with the arrows. */
export function useSlash({
  text,
  caret,
  commands,
  onChoose,
}: {
  readonly text: string;
  readonly caret: number;
  readonly commands: readonly SlashCommand[];
  readonly onChoose: (command: SlashCommand) => void;
}): Completion<SlashCommand> {
  const query = slashQuery(text, caret);
  return useCompletion({
    text,
    query,
    items: query === null ? [] : matchingCommands(commands, query),
    isWhole: ({ name }, typed) => name === typed,
    onChoose,
  });
}
