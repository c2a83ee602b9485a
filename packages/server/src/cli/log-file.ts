import path from "node:path";
import pino, { type Logger } from "pino";
import { createStream } from "rotating-file-stream";

export interface LogFile {
  readonly logger: Logger;
  readonly file: string;
  /** Resolves when everything logged so far is in the file. */
  close(): Promise<void>;
}

/** A log of JSON lines in the data folder, for its owner only: five files of at most 10 MiB. */
export function openLogFile(dataFolder: string, { level }: { readonly level: string }): LogFile {
  const folder = path.join(dataFolder, "logs");
  const stream = createStream("holdfast.log", {
    path: folder,
    size: "10M",
    rotate: 4,
    mode: 0o600,
  });
  // A log that cannot be written, on a full disk say, must not take the server with it.
  let isTold = false;
  stream.on("error", (error) => {
    if (isTold) return;
    isTold = true;
    process.stderr.write(`holdfast: the log cannot be written: ${error.message}\n`);
  });
  const lines = gathering((text) => stream.write(text));
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  return {
    logger,
    file: path.join(folder, "holdfast.log"),
    close: () => {
      lines.flush();
      return new Promise((resolve) => void stream.end(() => resolve()));
    },
  };
}

/** How long a line may wait for others: each write to the file costs as much as a small request. */
const GATHER_MS = 50;
const GATHER_CHARACTERS = 64 * 1024;

interface Gathering {
  write(line: string): void;
  flush(): void;
}

/** Hands on many lines at once; one of trouble, and what came before it, without delay. */
function gathering(put: (text: string) => void): Gathering {
  let waiting = "";
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting !== "") put(waiting);
    waiting = "";
  };
  return {
    flush,
    write: (line) => {
      waiting += line;
      if (isTrouble(line) || waiting.length > GATHER_CHARACTERS) return flush();
      timer ??= setTimeout(flush, GATHER_MS);
    },
  };
}

/** Each line begins with its level: 40 is a warning. */
function isTrouble(line: string): boolean {
  return Number(/^\{"level":(\d+)/u.exec(line)?.[1] ?? 0) >= 40;
}
