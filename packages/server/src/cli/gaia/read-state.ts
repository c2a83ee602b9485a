import { errorText } from "../../domain/error-text.ts";
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import path from "node:path";
import { CommandFailure } from "../exit.ts";
import { parseState, type ParsedState } from "./parse-state.ts";
import { BadState } from "./state-schema.ts";

/** Larger than any real state. */
const MAX_BYTES = 1024 * 1024;

export type ReadState =
  | {
      readonly ok: true;
      readonly file: string;
      readonly folder: string;
      readonly state: ParsedState;
    }
  | {
      readonly ok: false;
      readonly file: string;
      readonly reason: string;
      /** The file does not exist. */
      readonly isMissing?: true;
    };

/** The sorted names of the folders in a folder of sessions. */
export function stateFolders(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .toSorted();
  } catch (cause) {
    throw new CommandFailure(`${folder} ${reasonOf(cause)}.`, undefined, { cause });
  }
}

/**
 * Reads the `state.json` of one session; an invalid file is a value, not an exception. Synchronous: for thousands of
 * small files, asynchronous reads cost several times as much.
 */
export function readState(parent: string, folder: string): ReadState {
  const file = path.join(parent, folder, "state.json");
  try {
    const text = readBounded(file);
    return { ok: true, file, folder, state: parseState(text, { folder }) };
  } catch (error) {
    if (error instanceof BadState) return { ok: false, file, reason: error.message };
    if (!isSystemError(error)) throw error;
    const reason = reasonOf(error);
    return { ok: false, file, reason, ...(error.code === "ENOENT" && { isMissing: true }) };
  }
}

/** Does not block on a pipe or a device. */
function readBounded(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new BadState("is not a file");
    if (stat.size > MAX_BYTES) throw new BadState("is larger than 1 MiB");
    const bytes = Buffer.alloc(stat.size);
    const length = readSync(descriptor, bytes, 0, stat.size, 0);
    return decode(bytes.subarray(0, length));
  } finally {
    closeSync(descriptor);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new BadState("is not UTF-8");
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

function reasonOf(error: unknown): string {
  switch (isSystemError(error) ? error.code : null) {
    case "ENOENT":
      return "is not there";
    case "ENOTDIR":
      return "is not in a folder";
    case "ELOOP":
      return "is a symbolic link that leads back to itself";
    case "EACCES":
    case "EPERM":
      return "must not be read by this user";
    default:
      return errorText(error);
  }
}
