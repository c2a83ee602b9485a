import { type KeyboardEvent, useId, useState } from "react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { isComposing } from "./composer-keys.ts";
import { type BoxText, matchingCommands, type SlashCommand, slashQuery } from "./slash.ts";
import { client } from "../api/client.ts";
import { type Mention, mentionAt } from "./mention.ts";

/** A list of suggestions. The message box keeps the focus and handles the keys. */
export interface Completion<Item> {
  readonly listId: string;
  /** Empty while the list is closed. */
  readonly items: readonly Item[];
  readonly at: number;
  readonly choose: (item: Item) => void;
  /** Returns true when the list handled the key. */
  onKey(event: KeyboardEvent): boolean;
  /** Closes the list until the text changes. */
  close(): void;
}

function useCompletion<Item>({
  text,
  query,
  items: fitting,
  isWhole,
  choose,
}: Pick<Completion<Item>, "items" | "choose"> & {
  /** The whole text of the box. */
  readonly text: string;
  /** The typed part of an item; null when none is typed. */
  readonly query: string | null;
  /** Whether the item is typed completely: then the message is sent instead. */
  readonly isWhole: (item: Item, query: string) => boolean;
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
    choose,
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
          choose(item);
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

/** Suggests commands after a slash. */
export function useSlash(
  { text, caret }: BoxText,
  commands: readonly SlashCommand[],
  onChoose: (command: SlashCommand) => void,
): Completion<SlashCommand> {
  const query = slashQuery(text, caret);
  return useCompletion({
    text,
    query,
    items: query === null ? [] : matchingCommands(commands, query),
    isWhole: ({ name }, typed) => name === typed,
    choose: onChoose,
  });
}

export interface Mentions extends Completion<string> {
  /** The search ended at its limit of files or time. */
  readonly isCut: boolean;
}

const SHOWN = 20;
const SEARCH_AGAIN_MS = 1_000;

/** Suggests files after an @. */
export function useMention(
  { text, caret }: BoxText,
  repoId: string | null,
  onChoose: (chosen: { readonly mention: Mention; readonly path: string }) => void,
): Mentions {
  const mention = mentionAt(text, caret);
  const { data } = useQuery({
    queryKey: ["files", repoId, mention?.query] as const,
    queryFn: ({ signal }) =>
      client.repos.files(repoId ?? "", { query: mention?.query ?? "", limit: SHOWN }, { signal }),
    enabled: repoId !== null && mention !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
    // Typing continues without suggestions.
    retry: false,
    // A slow disk or a busy machine cuts the search before its first match: the next one gets further.
    refetchInterval: ({ state }) =>
      state.data?.truncated === true && state.data.files.length === 0 ? SEARCH_AGAIN_MS : false,
  });
  const completion = useCompletion({
    text,
    query: mention?.query ?? null,
    items: data?.files ?? [],
    isWhole: (path, typed) => path === typed,
    choose: (path) => {
      if (mention !== null) onChoose({ mention, path });
    },
  });
  return { ...completion, isCut: data?.truncated ?? false };
}
