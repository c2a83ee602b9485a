import { type ReactElement, type ReactNode, useEffect, useRef } from "react";
import { announce } from "../app/announce.tsx";
import { classNames } from "../ui/class-names.ts";
import type { Completion, Mentions } from "./use-completion.ts";
import type { SlashCommand } from "./slash.ts";

/** The suggestions above the message box, which keeps the focus. */
function CompletionList<Item>({
  completion: { listId, items, at, choose },
  label,
  counted,
  keyOf,
  note = null,
  children,
}: {
  readonly completion: Completion<Item>;
  readonly label: string;
  /** The singular and plural for the announcement. */
  readonly counted: readonly [one: string, several: string];
  readonly keyOf: (item: Item) => string;
  readonly note?: string | null;
  readonly children: (item: Item) => ReactNode;
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
      {/* A native select would take the focus from the box. */}
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
          // The box handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={keyOf(item)}
            id={`${listId}-${index}`}
            // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(item)}
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

/** Files of the repository. */
export function MentionList({ mentions }: { readonly mentions: Mentions }): ReactElement {
  return (
    <CompletionList
      completion={mentions}
      label="Files in the repository"
      counted={["file", "files"]}
      keyOf={(path) => path}
      note={mentions.isCut ? "Not all files of the repository were searched." : null}
    >
      {(path) => <Path path={path} />}
    </CompletionList>
  );
}

function Path({ path }: { readonly path: string }): ReactElement {
  const nameAt = path.lastIndexOf("/") + 1;
  return (
    <span className="min-w-0 font-mono text-[13px] [overflow-wrap:anywhere]">
      <span className="text-muted">{path.slice(0, nameAt)}</span>
      {path.slice(nameAt)}
    </span>
  );
}

/** The commands of the agent. */
export function SlashList({ slash }: { readonly slash: Completion<SlashCommand> }): ReactElement {
  return (
    <CompletionList
      completion={slash}
      label="Agent commands"
      counted={["command", "commands"]}
      keyOf={({ name }) => name}
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
