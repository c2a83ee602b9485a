import { defined } from "@holdfast/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { useDeferredValue, useState, type ReactElement, type ReactNode } from "react";
import { sessionsQuery } from "../api/queries.ts";
import { sessionName } from "../api/session-name.ts";
import { Dialog } from "../ui/dialog.tsx";
import { StateDot } from "../ui/state-dot.tsx";
import { toggleList } from "./frame/list-shown.ts";
import { useNextWaiting } from "./frame/next-waiting.ts";
import { PLACES } from "./frame/places.ts";
import { openOverlay } from "./overlay.ts";
import { goTo, usePlace } from "./router.ts";
import { chooseTheme, THEME_NAMES, THEMES } from "./theme.ts";
import { useOfferedVerbs } from "./verbs.ts";

const SHOWN = 8;

/** The command palette: pages, sessions and actions by typing. */
export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [typed, setTyped] = useState("");
  const words = typed.trim();
  const query = useDeferredValue(words);
  const results = useResults(query);
  // Results for an older query must not be selectable.
  const sessions = query === words ? results : [];
  const offered = useOfferedVerbs();
  const goToWaiting = useNextWaiting();
  const isSession = usePlace()?.page === "session";
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Dialog open onClose={onClose} title="Commands" hideTitle>
      <Command loop label="Commands" shouldFilter>
        <Command.Input
          value={typed}
          onValueChange={setTyped}
          placeholder="Go to, find a session, or do something"
          className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-muted"
        />
        <Command.List className="max-h-[50dvh] overflow-y-auto p-1.5">
          <Command.Empty className="p-6 text-center text-muted">Nothing found.</Command.Empty>
          {offered.map(({ name, verbs }) => (
            <Group key={name} name={name}>
              {verbs.map(({ label, keys, onSelect }) => (
                <Item key={label} keys={keys} onSelect={then(onSelect)}>
                  {label}
                </Item>
              ))}
            </Group>
          ))}
          <Group name="Do">
            <Item keys="C" onSelect={() => openOverlay("new-session")}>
              New session
            </Item>
            <Item onSelect={() => openOverlay("compare")}>Compare agents</Item>
            <Item keys="Alt J" onSelect={then(() => goToWaiting(1))}>
              Next session that needs you
            </Item>
            <Item keys="Alt K" onSelect={then(() => goToWaiting(-1))}>
              Previous session that needs you
            </Item>
            {isSession && (
              <Item keys="[" onSelect={then(toggleList)}>
                Show or hide the list
              </Item>
            )}
            <Item keys="?" onSelect={() => openOverlay("shortcuts")}>
              Keyboard shortcuts
            </Item>
          </Group>
          <Group name="Go to">
            {PLACES.map(({ page, name, keys }) => (
              <Item key={page} keys={keys} onSelect={then(() => goTo({ page }))}>
                {name}
              </Item>
            ))}
          </Group>
          {sessions.length > 0 && (
            <Group name="Sessions">
              {sessions.map((session) => (
                <Item
                  key={session.id}
                  value={session.id}
                  // The server's results are shown even when their names do not match the query.
                  keywords={[typed]}
                  onSelect={then(() => goTo({ page: "session", id: session.id }))}
                >
                  <span className="min-w-0 flex-1 truncate">{sessionName(session)}</span>
                  <StateDot session={session} />
                </Item>
              ))}
            </Group>
          )}
          <Group name="Theme">
            {THEMES.map((theme) => (
              <Item key={theme} value={`theme ${theme}`} onSelect={then(() => chooseTheme(theme))}>
                Theme: {THEME_NAMES[theme].toLowerCase()}
              </Item>
            ))}
          </Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}

function useResults(words: string) {
  const { data } = useInfiniteQuery(sessionsQuery(words === "" ? {} : { q: words }));
  return data?.pages.flatMap((page) => page.sessions).slice(0, SHOWN) ?? [];
}

function Group({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Command.Group
      heading={name}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

function Item({
  value,
  keys,
  keywords,
  onSelect,
  children,
}: {
  readonly value?: string;
  /** Its shortcut. */
  readonly keys?: string | undefined;
  readonly keywords?: string[];
  readonly onSelect: () => void;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <Command.Item
      {...defined({ value, keywords })}
      onSelect={onSelect}
      className="flex min-h-9 cursor-pointer items-center gap-3 rounded-md px-2 data-[selected=true]:bg-hover pointer-coarse:min-h-11"
    >
      {children}
      {keys !== undefined && (
        <kbd aria-hidden="true" className="ml-auto font-sans text-xs text-muted">
          {keys}
        </kbd>
      )}
    </Command.Item>
  );
}
