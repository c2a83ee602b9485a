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
} from "./highlighter.ts";

const HighlightContext = createContext<Highlighter | null>(null);

const NOTHING: Highlighted = { source: [], lines: [] };

/** Shares one worker. A nested provider uses the outer one. */
export function HighlightProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const outer = useContext(HighlightContext);
  const [own] = useState(() => createHighlighter(openWorker));
  useEffect(() => () => own.close(), [own]);
  return <HighlightContext value={outer ?? own}>{children}</HighlightContext>;
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
  const known = useSyncExternalStore(subscribe, () => highlighter?.known(key) ?? NOTHING);
  useEffect(() => {
    if (grammar !== null) highlighter?.read(key, { grammar, lines });
  }, [highlighter, key, grammar, lines]);
  return known;
}

function openWorker(): HighlightWorker {
  return new Worker(new URL("./highlight-worker.ts", import.meta.url), {
    type: "module",
    name: "highlight",
  });
}
