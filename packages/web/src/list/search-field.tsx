import { LIMITS } from "@holdfast/protocol";
import { Search, X } from "lucide-react";
import { useEffect, useRef, useState, type ReactElement } from "react";
import { useShortcuts } from "../app/use-shortcuts.ts";
import { Input } from "../ui/field.tsx";

const PAUSE_MS = 250;

/** Searches while one types, after a little pause. */
export function SearchField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactElement {
  const [typed, setTyped] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const said = useRef(value);
  useEffect(() => {
    // The address changed in another way, such as by going back.
    if (value === said.current) return;
    said.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const wanted = typed.trim();
    if (wanted === said.current) return;
    const timer = setTimeout(() => {
      said.current = wanted;
      onChange(wanted);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  useShortcuts({ "/": () => input.current?.focus() });
  return (
    <search className="relative min-w-0 flex-1">
      <Search
        size={15}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <Input
        ref={input}
        type="search"
        aria-label="Search sessions"
        placeholder="Search titles and messages"
        maxLength={LIMITS.searchLength}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          if (typed === "") event.currentTarget.blur();
          setTyped("");
        }}
        className="pr-9 pl-8 [&::-webkit-search-cancel-button]:hidden"
      />
      {typed !== "" && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => {
            setTyped("");
            input.current?.focus();
          }}
          className="absolute top-0 right-0 flex h-full w-9 items-center justify-center text-muted hover:text-fg"
        >
          <X size={15} aria-hidden="true" />
        </button>
      )}
    </search>
  );
}
