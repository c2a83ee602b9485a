import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

export interface Turn {
  readonly role: "user" | "agent";
  readonly text: string;
}

/** The scripted agent's memory: in its folder, or only in the process. */
export interface Memory {
  /** Null if there is no such session. */
  recall(sessionId: string): readonly Turn[] | null;
  remember(sessionId: string, said: readonly Turn[]): void;
  /** False if there is no such session. */
  forget(sessionId: string): boolean;
  /** The number of earlier calls with this key. */
  count(key: string): number;
}

export function openMemory(folder: string | null): Memory {
  const kept = new Map<string, string>();
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const read = (name: string): unknown => {
    const text = folder === null ? kept.get(name) : readIfThere(path.join(folder, `${name}.json`));
    return text === undefined ? undefined : JSON.parse(text);
  };
  const write = (name: string, value: unknown): void => {
    kept.set(name, JSON.stringify(value));
    if (folder !== null) writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(value));
  };
  return {
    recall: (sessionId) => (read(`session-${sessionId}`) as readonly Turn[] | undefined) ?? null,
    remember: (sessionId, said) => {
      write(`session-${sessionId}`, [
        ...((read(`session-${sessionId}`) as readonly Turn[] | undefined) ?? []),
        ...said,
      ]);
    },
    forget: (sessionId) => {
      const name = `session-${sessionId}`;
      const isThere = read(name) !== undefined;
      kept.delete(name);
      if (folder !== null) rmSync(path.join(folder, `${name}.json`), { force: true });
      return isThere;
    },
    count: (key) => {
      const before = (read(`count-${key}`) as number | undefined) ?? 0;
      write(`count-${key}`, before + 1);
      return before;
    },
  };
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
