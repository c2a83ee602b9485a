import type { ReactElement } from "react";
import { CompletionList } from "./completion-list.tsx";
import type { SlashCommand } from "./slash.ts";
import type { Completion } from "./use-completion.ts";

/** What the agent understands. */
export function SlashList({
  slash,
  onChoose,
}: {
  readonly slash: Completion<SlashCommand>;
  readonly onChoose: (command: SlashCommand) => void;
}): ReactElement {
  return (
    <CompletionList
      completion={slash}
      label="Commands of the agent"
      counted={["command", "commands"]}
      keyOf={({ name }) => name}
      onChoose={onChoose}
    >
      {(command) => (
        <>
          <span className="font-mono text-[13px]">/{command.name}</span>
          {command.hint !== null && <span className="text-xs text-muted">{command.hint}</span>}
          <span className="min-w-0 flex-1 text-xs text-muted">{command.description}</span>
        </>
      )}
    </CompletionList>
  );
}
