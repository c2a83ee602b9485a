import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from "react";
import {
  createHighlighter,
  type Highlighted,
  type Highlighter,
  type HighlightWorker,
  NOTHING,
} from "./highlighter.ts";

const HighlightContext = createContext<Highlighter | null>(null);

/** Shares one worker. */
export function HighlightProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const [highlighter] = useState(() => createHighlighter(openWorker));
  useEffect(() => () => highlighter.close(), [highlighter]);
  return <HighlightContext value={highlighter}>{children}</HighlightContext>;
}

/** The known tokens of complete lines; none without a grammar. */
export function useHighlight(
  key: string,
  { grammar, lines }: { readonly grammar: string | null; readonly lines: readonly string[] },
): Highlighted {
  const highlighter = useContext(HighlightContext);
  const subscribe = useCallback(
    (listener: () => void) => highlighter?.subscribe(key, listener) ?? (() => undefined),
    [highlighter, key],
  );
  const read = (): Highlighted => highlighter?.known(key) ?? NOTHING;
  const known = useSyncExternalStore(subscribe, read, read);
  useEffect(() => {
    if (grammar !== null) highlighter?.read(key, grammar, lines);
  }, [highlighter, key, grammar, lines]);
  return known;
}

function openWorker(): HighlightWorker {
  return new Worker(new URL("./highlight-worker.ts", import.meta.url), {
    type: "module",
    name: "highlight",
  });
}
