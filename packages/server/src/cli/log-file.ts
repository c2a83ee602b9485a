import path from "node:path";
import pino, { type Logger } from "pino";
import { createStream } from "rotating-file-stream";
import { logsIn } from "./settings/data-folder.ts";

export interface LogFile {
  readonly logger: Logger;
  readonly file: string;
  /** Resolves when everything logged so far is in the file. */
  close(): Promise<void>;
}

const LOG_NAME = "holdfast.log";
const OLDER_LOGS = 4;

/** The log files, newest first. The first is the one that is written to. */
export function logFilesIn(dataFolder: string): readonly string[] {
  const newest = path.join(logsIn(dataFolder), LOG_NAME);
  return [newest, ...Array.from({ length: OLDER_LOGS }, (_, index) => `${newest}.${index + 1}`)];
}

/** A log of JSON lines in the data folder, readable by its owner only: five files of at most 10 MiB. */
export function openLogFile(
  dataFolder: string,
  { level, redact }: { readonly level: string; readonly redact: (line: string) => string },
): LogFile {
  const folder = logsIn(dataFolder);
  const stream = createStream(LOG_NAME, {
    path: folder,
    size: "10M",
    rotate: OLDER_LOGS,
    mode: 0o600,
  });
  // A log that cannot be written, for example on a full disk, must not stop the server.
  let isReported = false;
  stream.on("error", (error) => {
    if (isReported) return;
    isReported = true;
    process.stderr.write(`holdfast: cannot write the log: ${error.message}\n`);
  });
  const lines = bufferLines((text) => stream.write(text), redact);
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, lines);
  return {
    logger,
    file: path.join(folder, LOG_NAME),
    close: () => {
      lines.flush();
      return new Promise((resolve) => void stream.end(() => resolve()));
    },
  };
}

/** Lines are written in batches: each write costs as much as a small request. */
const BATCH_MS = 50;
const BATCH_CHARACTERS = 64 * 1024;

/** Writes many lines at once. A warning or an error is written without delay. */
function bufferLines(put: (text: string) => void, redact: (line: string) => string) {
  let buffered = "";
  let timer: NodeJS.Timeout | null = null;
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (buffered !== "") put(buffered);
    buffered = "";
  };
  return {
    flush,
    write: (line: string): void => {
      buffered += redact(line);
      if (isUrgent(line) || buffered.length > BATCH_CHARACTERS) return flush();
      timer ??= setTimeout(flush, BATCH_MS);
    },
  };
}

/** Each line begins with its level: 40 is a warning. */
function isUrgent(line: string): boolean {
  return Number(/^\{"level":(\d+)/u.exec(line)?.[1] ?? 0) >= 40;
}
