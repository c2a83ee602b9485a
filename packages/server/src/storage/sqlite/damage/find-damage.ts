import { DatabaseSync } from "node:sqlite";

/** More findings than this say nothing new. */
const MAX_FINDINGS = 20;
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Reads every page of the file and describes damaged places. Writes nothing. One table at a time, so that the write-ahead
 * log can be emptied in between; `between` is called with the milliseconds that the last table took.
 */
export function findDamage(file: string, between: (tookMs: number) => void = () => {}): string[] {
  const raw = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const findings: string[] = [];
    for (const table of tablesOf(raw)) {
      const begun = performance.now();
      findings.push(...damageOf(raw, table));
      if (findings.length >= MAX_FINDINGS) break;
      between(performance.now() - begun);
    }
    return findings.slice(0, MAX_FINDINGS);
  } catch (error) {
    if (isCorrupt(error)) return [messageOf(error)];
    throw error;
  } finally {
    raw.close();
  }
}

function tablesOf(raw: DatabaseSync): readonly string[] {
  const rows = raw
    .prepare(
      `select "name" from sqlite_schema where "type" = 'table' and "rootpage" > 0 order by "rowid"`,
    )
    .all();
  return rows.map(({ name }) => String(name));
}

/** The pages of the table and of its indexes. */
function damageOf(raw: DatabaseSync, table: string): readonly string[] {
  const name = table.replaceAll("'", "''");
  try {
    return raw
      .prepare(`pragma quick_check('${name}')`)
      .all()
      .map((row) => String(row["quick_check"]))
      .filter((text) => text !== "ok")
      .map((text) => `${table}: ${text.replaceAll("\n", " ")}`);
  } catch (error) {
    if (isCorrupt(error)) return [`${table}: ${messageOf(error)}`];
    throw error;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
function isCorrupt(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return [11, 26].includes(Number(error.errcode) % 256);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
