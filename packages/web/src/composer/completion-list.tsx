import { useEffect, useRef, type ReactElement, type ReactNode } from "react";
import { announce } from "../app/announce.tsx";
import { classNames } from "../ui/class-names.ts";
import type { Completion } from "./use-completion.ts";

/** What could be meant, above the box that keeps the focus. */
export function CompletionList<Item>({
  completion: { listId, items, at },
  label,
  counted,
  keyOf,
  note = null,
  children,
  onChoose,
}: {
  readonly completion: Completion<Item>;
  readonly label: string;
  /** One of them, and several. */
  readonly counted: readonly [one: string, several: string];
  readonly keyOf: (item: Item) => string;
  readonly note?: string | null;
  readonly children: (item: Item) => ReactNode;
  readonly onChoose: (item: Item) => void;
}): ReactElement {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  const count = items.length;
  const [one, several] = counted;
  useEffect(() => {
    announce(count === 1 ? `1 ${one}` : `${count} ${several}`);
  }, [count, one, several]);
  return (
    <div className="absolute inset-x-0 bottom-full z-20 mb-1 flex max-h-60 flex-col rounded-lg border border-line bg-surface shadow-xl">
      {/* A list of the browser would take the focus from the box. */}
      <div
        ref={list}
        id={listId}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
        role="listbox"
        aria-label={label}
        tabIndex={0}
        className="min-h-0 overflow-y-auto p-1"
      >
        {items.map((item, index) => (
          // The box has the focus and the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={keyOf(item)}
            id={`${listId}-${index}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(item)}
            className={classNames(
              "flex min-h-8 cursor-pointer flex-wrap content-center items-baseline gap-x-3 rounded-md px-2 py-1 pointer-coarse:min-h-11",
              index === at && "bg-hover",
            )}
          >
            {children(item)}
          </div>
        ))}
      </div>
      {note !== null && (
        <p className="border-t border-line px-3 py-1.5 text-xs text-muted">{note}</p>
      )}
    </div>
  );
}
