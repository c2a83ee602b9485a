import { randomBytes } from "node:crypto";
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { errorText } from "../../domain/error-text.ts";
import { CommandFailure } from "../exit.ts";

const TOKEN_FILE = "token";
const TOKEN_BYTES = 32;
/** Read and write for the owner, nothing for others. */
const OWNER_ONLY = 0o600;

function tokenFileIn(dataFolder: string): string {
  return path.join(dataFolder, TOKEN_FILE);
}

/** The server's token from its data folder. The first start creates it; later starts keep it. */
export function obtainToken(dataFolder: string): string {
  const file = tokenFileIn(dataFolder);
  try {
    return readToken(file) ?? createToken(file);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (isNoSpace(error)) {
      const message = `Cannot create the token file ${file}: The disk is full. Free some space, then start the server again.`;
      throw new CommandFailure(message, undefined, { cause: error });
    }
    throw unusable(file, errorText(error), error);
  }
}

function isNoSpace(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOSPC";
}

/** Null when there is none, or when it cannot be read. */
export function findToken(dataFolder: string): string | null {
  try {
    const token = readFileSync(tokenFileIn(dataFolder), "utf8").trim();
    return token === "" ? null : token;
  } catch {
    return null;
  }
}

function readToken(file: string): string | null {
  if (!existsSync(file)) return null;
  const token = readFileSync(file, "utf8").trim();
  if (token === "") throw unusable(file, "it is empty");
  if (/[^\x21-\x7e]/u.test(token)) throw unusable(file, "it contains more than one word");
  return token;
}

/** Atomic: the file has its name only after it is complete. */
function createToken(file: string): string {
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${token}\n`, { mode: OWNER_ONLY, flag: "wx", flush: true });
    linkSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
  return token;
}

function unusable(file: string, reason: string, cause?: unknown): CommandFailure {
  return new CommandFailure(
    `Cannot use the token file ${file}: ${reason}. Remove it to get a new token, or set HOLDFAST_TOKEN.`,
    undefined,
    { cause },
  );
}
