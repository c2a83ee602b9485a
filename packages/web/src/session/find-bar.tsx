import { ChevronDown, ChevronUp, X } from "lucide-react";
import {
  useDeferredValue,
  useEffect,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
} from "react";
import { useStore } from "../api/store.ts";
import { announce } from "../app/announce.tsx";
import { isComposing } from "../composer/composer-keys.ts";
import type { Find } from "../transcript/find.ts";
import { IconButton } from "../ui/button.tsx";
import { Input } from "../ui/field.tsx";
import { Spinner } from "../ui/spinner.tsx";

/** Searches all messages of the session, on the screen or not. */
export function FindBar({
  find,
  input,
  onClose,
}: {
  readonly find: Find;
  readonly input: RefObject<HTMLInputElement | null>;
  readonly onClose: () => void;
}): ReactElement {
  const { query, hits, at, isSearching } = useStore(find);
  const [typed, setTyped] = useState(query);
  useEffect(() => input.current?.focus(), [input]);
  const text = useDeferredValue(typed);
  useEffect(() => {
    if (text !== find.current().query) find.findIn(text);
  }, [find, text]);
  useEffect(() => () => find.clear(), [find]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event.nativeEvent)) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") onClose();
    else if (event.shiftKey) find.next();
    else find.previous();
  };
  const count =
    query.trim() === "" || (at === null && isSearching)
      ? ""
      : at === null
        ? "Not found"
        : `${at + 1} of ${hits.length}`;
  useEffect(() => {
    if (count !== "" && !isSearching) announce(count);
  }, [count, isSearching]);
  return (
    <search className="flex items-center gap-1 border-b border-line px-3 py-1.5 sm:px-4">
      <Input
        ref={input}
        type="search"
        aria-label="Find in this session"
        placeholder="Find in this session"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-8 max-w-md min-w-0 flex-1"
      />
      {isSearching && <Spinner />}
      <span className="px-1 text-xs whitespace-nowrap text-muted tabular-nums">{count}</span>
      <IconButton
        label="Previous match (Enter)"
        size="small"
        disabled={hits.length === 0}
        onClick={find.previous}
      >
        <ChevronUp size={16} aria-hidden="true" />
      </IconButton>
      <IconButton
        label="Next match (Shift Enter)"
        size="small"
        disabled={hits.length === 0}
        onClick={find.next}
      >
        <ChevronDown size={16} aria-hidden="true" />
      </IconButton>
      <IconButton label="Close (Esc)" size="small" onClick={onClose}>
        <X size={16} aria-hidden="true" />
      </IconButton>
    </search>
  );
}
