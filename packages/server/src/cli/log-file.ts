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
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  return {
    logger,
    file: path.join(folder, "holdfast.log"),
    close: () => new Promise((resolve) => void stream.end(() => resolve())),
  };
}
