import { LIMITS } from "@holdfast/protocol";
import { Search, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement, type RefObject } from "react";
import { useShortcuts } from "../../app/use-shortcuts.ts";
import { Input } from "../../ui/field.tsx";

const DEBOUNCE_MS = 250;

/** Searches while typing, with a debounce. */
export function SearchField({
  value,
  hasKey,
  onChange,
}: {
  readonly value: string;
  /** Whether `/` leads here. */
  readonly hasKey: boolean;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const reported = useRef(value);
  useEffect(() => {
    // The URL changed otherwise, such as by navigating back.
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const words = typed.trim();
    if (words === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = words;
      onChange(words);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  return (
    <search className="relative min-w-0 flex-1">
      {hasKey && <SearchKey input={input} />}
      <Search
        size={15}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <Input
        ref={input}
        type="search"
        aria-label="Search sessions"
        placeholder="Search"
        maxLength={LIMITS.searchLength}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (typed === "") event.currentTarget.blur();
          setTyped("");
        }}
        className="pr-9 pl-8 pointer-coarse:pr-11 [&::-webkit-search-cancel-button]:hidden"
      />
      {typed !== "" && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => {
            setTyped("");
            input.current?.focus();
          }}
          className="touch-target absolute top-0 right-0 flex h-full w-9 items-center justify-center text-muted hover:text-fg"
        >
          <X size={15} aria-hidden="true" />
        </button>
      )}
    </search>
  );
}

function SearchKey({ input }: { readonly input: RefObject<HTMLInputElement | null> }): null {
  useShortcuts({ "/": () => input.current?.focus() });
  return null;
}
