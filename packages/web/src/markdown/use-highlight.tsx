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

/** One worker for everything inside; inside another one it adds nothing. */
export function HighlightProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const outer = useContext(HighlightContext);
  const [own] = useState(() => createHighlighter(openWorker));
  useEffect(() => () => own.close(), [own]);
  return <HighlightContext value={outer ?? own}>{children}</HighlightContext>;
}

/** The tokens of whole lines of code, as far as they are known; nothing where there is no grammar for it. */
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
