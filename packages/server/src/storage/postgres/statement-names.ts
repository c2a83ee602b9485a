import { createHash } from "node:crypto";
import type { QueryConfig } from "pg";

/** More than there are statements with a fixed text. Each connection keeps the plans of all that it has run. */
const MAX_NAMED = 250;

export interface StatementNames {
  /** A query that the connection parses and plans only the first time. */
  query(text: string, values: readonly unknown[]): QueryConfig;
  /**
   * Whether a statement failed only because of its name, and would succeed without. From the first time on, no statement
   * has a name.
   */
  areToBlame(error: unknown): boolean;
}

/**
 * Names of prepared statements. A name is a hash of the text, so on every connection it stands for the same statement. A
 * connection pooler that gives each transaction another connection, and does not know prepared statements, breaks them.
 */
export function nameStatements(): StatementNames {
  const names = new Map<string, string>();
  let isOff = false;

  const nameOf = (text: string): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || names.size >= MAX_NAMED) return known;
    const name = `holdfast_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
    names.set(text, name);
    return name;
  };

  return {
    query: (text, values) => {
      const name = isOff ? undefined : nameOf(text);
      return { text, values: [...values], ...(name !== undefined && { name }) };
    },
    areToBlame: (error) => {
      if (!isAboutName(error)) return false;
      isOff = true;
      return true;
    },
  };
}

/** No statement with this name; another with this name; one whose tables have changed since. */
function isAboutName(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  if (error.code === "26000" || error.code === "42P05") return true;
  return error.code === "0A000" && "routine" in error && error.routine === "RevalidateCachedQuery";
}
