import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { StorageFault } from "../fault.ts";
import { faultFromSqlite } from "./faults.ts";

export interface BackedUp {
  readonly ok: true;
  readonly bytes: number;
  /** Row counts; the original had the same at the moment of the backup. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

export interface BackupRefused {
  readonly ok: false;
  readonly refused: "source_missing" | "target_exists" | "folder_missing";
}

const PAGES_AT_ONCE = 1_000;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Copies the database as of one moment, while other processes use it. The target appears complete and verified, or not at
 * all.
 */
export async function backUp(file: string, target: string): Promise<BackedUp | BackupRefused> {
  if (!existsSync(file)) return { ok: false, refused: "source_missing" };
  if (existsSync(target)) return { ok: false, refused: "target_exists" };
  const folder = path.dirname(target);
  if (!existsSync(folder)) return { ok: false, refused: "folder_missing" };
  const draft = path.join(folder, `.${path.basename(target)}.${randomUUID()}`);
  try {
    // Sessions are private.
    writeFileSync(draft, "", { mode: 0o600, flag: "wx" });
    const original = await copyPages(file, draft);
    const copy = checkBackup(draft);
    if (!isDeepStrictEqual(copy, original))
      throw new StorageFault("database_error", "The backup differs from the database.");
    syncToDisk(draft);
    if (!publish(draft, target)) return { ok: false, refused: "target_exists" };
    syncToDisk(folder);
    return { ok: true, bytes: statSync(target).size, tables: copy.tables };
  } catch (error) {
    throw asFault(error);
  } finally {
    for (const file of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`])
      rmSync(file, { force: true });
  }
}

interface Fingerprint {
  readonly schema: readonly unknown[];
  readonly tables: BackedUp["tables"];
}

/** A read transaction keeps the snapshot while other processes write. */
async function copyPages(file: string, draft: string): Promise<Fingerprint> {
  const raw = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    raw.exec("pragma query_only = on");
    raw.exec("begin");
    const fingerprint = fingerprintOf(raw);
    await backup(raw, draft, { rate: PAGES_AT_ONCE });
    raw.exec("commit");
    return fingerprint;
  } finally {
    raw.close();
  }
}

/** Runs SQLite's own checks on the backup and makes it a single file without a log. */
function checkBackup(draft: string): Fingerprint {
  const raw = new DatabaseSync(draft, { timeout: BUSY_TIMEOUT_MS });
  try {
    raw.exec("pragma journal_mode = delete");
    const problems = ["integrity_check", "foreign_key_check"]
      .flatMap((check) => raw.prepare(`pragma ${check}`).all())
      .map((row) => JSON.stringify(row))
      .filter((row) => row !== '{"integrity_check":"ok"}');
    if (problems.length > 0) {
      throw new StorageFault(
        "database_corrupt",
        `The database is damaged, so no backup was made: ${problems.slice(0, 3).join(", ")}`,
      );
    }
    return fingerprintOf(raw);
  } finally {
    raw.close();
  }
}

function fingerprintOf(raw: DatabaseSync): Fingerprint {
  const schema = raw.prepare(`select "type", "name", "sql" from sqlite_schema order by 1, 2`).all();
  const tables = schema
    .filter(({ type, sql }) => type === "table" && !/^create virtual/iu.test(String(sql)))
    .map(({ name }) => {
      const table = String(name);
      const count = raw.prepare(`select count(*) as "rows" from "${table}"`).get();
      return { table, rows: Number(count?.["rows"]) };
    });
  return { schema: schema.map((row) => JSON.stringify(row)), tables };
}

/** False when the target exists meanwhile: it is never overwritten. */
function publish(draft: string, target: string): boolean {
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, target);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // Some file systems have no links.
    if (existsSync(target)) return false;
    renameSync(draft, target);
    return true;
  }
}

function syncToDisk(name: string): void {
  const handle = openSync(name, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function asFault(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "ENOSPC")
    return new StorageFault("disk_full", "The disk is full.", { cause: error });
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return new StorageFault("database_readonly", "The folder cannot be written.", { cause: error });
  return faultFromSqlite(error);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : null;
}
