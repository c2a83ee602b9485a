import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { errorText } from "../../domain/error-text.ts";
import { CommandFailure } from "../exit.ts";

/** A file that was read to be written again. */
export interface ReadFile {
  /** The path before resolving links, for messages. */
  readonly file: string;
  /** The path after resolving links. */
  readonly realFile: string;
  /** Null when there is none yet. */
  readonly text: string | null;
}

/** Writes atomically and keeps the mode. Refuses when another program has changed the file since it was read. */
export function replaceFile({ file, realFile, text }: ReadFile, next: string): void {
  const folder = path.dirname(realFile);
  mkdirSync(folder, { recursive: true });
  const now = statSync(realFile, { throwIfNoEntry: false });
  const textNow = now === undefined ? null : readFileSync(realFile, "utf8");
  if (textNow !== text)
    throw new CommandFailure(`${file} was changed by another program. Try again.`);
  const draft = path.join(folder, `.${path.basename(realFile)}.${process.pid}`);
  try {
    const handle = openSync(draft, "wx", 0o666);
    try {
      if (now !== undefined) fchmodSync(handle, now.mode & 0o7777);
      writeFileSync(handle, next);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, realFile);
  } catch (error) {
    rmSync(draft, { force: true });
    const reason = errorText(error);
    throw new CommandFailure(`Cannot write ${file}: ${reason}.`, undefined, { cause: error });
  }
}
