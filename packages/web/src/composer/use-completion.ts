import { useId, useState, type KeyboardEvent } from "react";
import { isComposing } from "./composer-keys.ts";

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

export function useCompletion<Item>({
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
