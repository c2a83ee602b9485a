import { type KeyboardEvent, useId, useState } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { isComposing } from "./composer-keys.ts";
import { matchingCommands, type SlashCommand, slashQuery } from "./slash.ts";
import { client } from "../api/client.ts";
import { type Mention, mentionAt } from "./mention.ts";

/** A list of what could be meant by what is being typed. The box keeps the focus and the keys. */
export interface Completion<Item> {
  readonly listId: string;
  /** Nothing while the list is closed. */
  readonly items: readonly Item[];
  readonly at: number;
  /** True when the key was for the list. */
  onKey(event: KeyboardEvent): boolean;
  /** Closed until something else is typed. */
  close(): void;
}

function useCompletion<Item>({
  text,
  query,
  items: fitting,
  isWhole,
  onChoose,
}: {
  /** All of the box. */
  readonly text: string;
  /** What is typed of the item; null when none is being typed. */
  readonly query: string | null;
  readonly items: readonly Item[];
  /** Typed whole already: it is sent, not completed. */
  readonly isWhole: (item: Item, query: string) => boolean;
  readonly onChoose: (item: Item) => void;
}): Completion<Item> {
  const listId = useId();
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const [chosen, setChosen] = useState({ query: "", at: 0 });
  const items = query !== null && closedAt !== text ? fitting : [];
  const at = chosen.query === query ? Math.min(chosen.at, items.length - 1) : 0;
  const step = (by: number): void =>
    setChosen({ query: query ?? "", at: (at + by + items.length) % items.length });
  return {
    listId,
    items,
    at,
    close: () => setClosedAt(text),
    onKey: (event) => {
      if (items.length === 0 || isComposing(event.nativeEvent)) return false;
      const item = items[at];
      switch (event.key) {
        case "ArrowDown":
          step(1);
          break;
        case "ArrowUp":
          step(-1);
          break;
        case "Escape":
          setClosedAt(text);
          break;
        case "Enter":
        case "Tab":
          if (event.shiftKey || item === undefined || isWhole(item, query ?? "")) return false;
          onChoose(item);
          break;
        default:
          return false;
      }
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

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

export interface Mentions extends Completion<string> {
  /** The repository has more files than the server looked at. */
  readonly isCut: boolean;
  choose(path: string): void;
}

const SHOWN = 20;

/** The files whose paths fit what is typed after an @. */
export function useMention({
  text,
  caret,
  repoId,
  onChoose,
}: {
  readonly text: string;
  readonly caret: number;
  readonly repoId: string | null;
  readonly onChoose: (chosen: { readonly mention: Mention; readonly path: string }) => void;
}): Mentions {
  const mention = mentionAt(text, caret);
  const { data } = useQuery({
    queryKey: ["files", repoId, mention?.query] as const,
    queryFn: ({ signal }) =>
      client.repos.files(repoId ?? "", { query: mention?.query ?? "", limit: SHOWN }, { signal }),
    enabled: repoId !== null && mention !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    // One can go on typing without it.
    retry: false,
  });
  const choose = (path: string): void => {
    if (mention !== null) onChoose({ mention, path });
  };
  const completion = useCompletion({
    text,
    query: mention?.query ?? null,
    items: data?.files ?? [],
    isWhole: (path, typed) => path === typed,
    onChoose: choose,
  });
  return { ...completion, choose, isCut: data?.truncated ?? false };
}
