import type { CodeLine, HighlightReply, HighlightRequest } from "./highlight-messages.ts";

/** The lines of a code block, and the tokens of the lines highlighted so far. */
export interface Highlighted {
  readonly source: readonly string[];
  readonly lines: readonly CodeLine[];
}

export type Highlighter = ReturnType<typeof createHighlighter>;

/** The required part of a worker. */
export interface HighlightWorker {
  postMessage(request: HighlightRequest): void;
  onmessage: ((event: MessageEvent<HighlightReply>) => void) | null;
  terminate(): void;
}

interface Code {
  readonly id: number;
  readonly grammar: string;
  source: string[];
  known: Highlighted;
  readonly listeners: Set<() => void>;
}

export const NOTHING: Highlighted = { source: [], lines: [] };
/** The number of code blocks kept besides those on the screen. */
const MAX_CODES = 300;

/** The worker starts with the first code, and again after `close`. */
export function createHighlighter(openWorker: () => HighlightWorker) {
  /** Least recently used first. */
  const codes = new Map<string, Code>();
  const byId = new Map<number, Code>();
  let worker: HighlightWorker | null = null;
  let lastId = 0;

  const post = (request: HighlightRequest): void => {
    if (worker === null) {
      worker = openWorker();
      worker.onmessage = ({ data }) => take(data);
    }
    worker.postMessage(request);
  };

  const take = ({ code: id, from, lines }: HighlightReply): void => {
    const code = byId.get(id);
    if (code === undefined || code.known.lines.length !== from) return;
    code.known = { source: code.source, lines: [...code.known.lines, ...lines] };
    for (const listener of code.listeners) listener();
  };

  const forget = (key: string, code: Code): void => {
    codes.delete(key);
    byId.delete(code.id);
    if (worker !== null) post({ code: code.id, forget: true });
  };

  const begin = (key: string, grammar: string, listeners = new Set<() => void>()): Code => {
    lastId += 1;
    const code = { id: lastId, grammar, source: [], known: NOTHING, listeners };
    codes.set(key, code);
    byId.set(code.id, code);
    return code;
  };

  const makeRoom = (): void => {
    for (const [key, code] of codes) {
      if (codes.size <= MAX_CODES) return;
      if (code.listeners.size === 0) forget(key, code);
    }
  };

  /** The code of a key when the lines extend it; otherwise it starts again. */
  const continued = (key: string, grammar: string, lines: readonly string[]): Code => {
    const code = codes.get(key);
    if (code === undefined) return begin(key, grammar);
    const common = Math.min(code.source.length, lines.length);
    const isSame =
      code.grammar === grammar &&
      code.source.slice(0, common).every((line, index) => line === lines[index]);
    if (!isSame) {
      forget(key, code);
      return begin(key, grammar, code.listeners);
    }
    codes.delete(key);
    codes.set(key, code);
    return code;
  };

  return {
    /** Highlights the new lines, which must be complete. */
    read(key: string, grammar: string, lines: readonly string[]): void {
      const code = continued(key, grammar, lines);
      const from = code.source.length;
      if (from >= lines.length) return;
      code.source = [...lines];
      post({ code: code.id, grammar, from, lines: lines.slice(from) });
      makeRoom();
    },
    known: (key: string): Highlighted => codes.get(key)?.known ?? NOTHING,
    subscribe(key: string, listener: () => void): () => void {
      const code = codes.get(key) ?? begin(key, "");
      code.listeners.add(listener);
      return () => {
        code.listeners.delete(listener);
      };
    },
    close(): void {
      worker?.terminate();
      worker = null;
      for (const code of codes.values()) {
        code.source = [];
        code.known = NOTHING;
      }
    },
  };
}
