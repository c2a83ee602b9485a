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
  /** The same in the original, at the moment of the backup. */
  readonly tables: readonly { readonly table: string; readonly rows: number }[];
}

export interface BackupRefused {
  readonly ok: false;
  readonly refused: "source_missing" | "target_exists" | "folder_missing";
}

const PAGES_AT_ONCE = 1_000;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * A copy of the database as it is at one moment, while others read and write it. The target appears
 * whole and verified, or not at all.
 */
export async function backUp(file: string, target: string): Promise<BackedUp | BackupRefused> {
  if (!existsSync(file)) return { ok: false, refused: "source_missing" };
  if (existsSync(target)) return { ok: false, refused: "target_exists" };
  const folder = path.dirname(target);
  if (!existsSync(folder)) return { ok: false, refused: "folder_missing" };
  const draft = path.join(folder, `.${path.basename(target)}.${randomUUID()}`);
  try {
    // What was said in sessions is for nobody else.
    writeFileSync(draft, "", { mode: 0o600, flag: "wx" });
    const original = await copyPages(file, draft);
    const copy = lookAt(draft);
    if (!isDeepStrictEqual(copy, original))
      throw new StorageFault("database_error", "The backup is not what the database was.");
    syncToDisk(draft);
    if (!isPutInPlace(draft, target)) return { ok: false, refused: "target_exists" };
    syncToDisk(folder);
    return { ok: true, bytes: statSync(target).size, tables: copy.tables };
  } catch (error) {
    throw asFault(error);
  } finally {
    for (const left of [draft, `${draft}-journal`, `${draft}-wal`, `${draft}-shm`])
      rmSync(left, { force: true });
  }
}

interface Look {
  readonly schema: readonly unknown[];
  readonly tables: BackedUp["tables"];
}

/** All pages of one moment: a transaction that reads holds it while others write. */
async function copyPages(file: string, draft: string): Promise<Look> {
  const raw = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    raw.exec("pragma query_only = on");
    raw.exec("begin");
    const look = lookWith(raw);
    await backup(raw, draft, { rate: PAGES_AT_ONCE });
    raw.exec("commit");
    return look;
  } finally {
    raw.close();
  }
}

/** The backup, checked by SQLite itself, as a single file without a log beside it. */
function lookAt(draft: string): Look {
  const raw = new DatabaseSync(draft, { timeout: BUSY_TIMEOUT_MS });
  try {
    raw.exec("pragma journal_mode = delete");
    const complaints = ["integrity_check", "foreign_key_check"]
      .flatMap((check) => raw.prepare(`pragma ${check}`).all())
      .map((row) => JSON.stringify(row))
      .filter((row) => row !== '{"integrity_check":"ok"}');
    if (complaints.length > 0) {
      throw new StorageFault(
        "database_corrupt",
        `The database is damaged, and so would be its backup: ${complaints.slice(0, 3).join(", ")}`,
      );
    }
    return lookWith(raw);
  } finally {
    raw.close();
  }
}

function lookWith(raw: DatabaseSync): Look {
  const schema = raw.prepare(`select "type", "name", "sql" from sqlite_schema order by 1, 2`).all();
  const tables = schema
    .filter(({ type, sql }) => type === "table" && !/^create virtual/iu.test(String(sql)))
    .map(({ name }) => {
      const table = String(name);
      const counted = raw.prepare(`select count(*) as "rows" from "${table}"`).get();
      return { table, rows: Number(counted?.["rows"]) };
    });
  return { schema: schema.map((row) => JSON.stringify(row)), tables };
}

/** False when another was faster: a name that is taken is never written over. */
function isPutInPlace(draft: string, target: string): boolean {
  chmodSync(draft, 0o600);
  try {
    linkSync(draft, target);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    // Not all file systems have links.
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
