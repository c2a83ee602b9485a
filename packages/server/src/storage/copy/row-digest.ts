import { hash } from "node:crypto";
import type { CopiedRow } from "./read-rows.ts";

/** Rows of a table, counted and digested: two that have the same rows have the same, in whatever order. */
export interface TableDigest {
  readonly rows: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

export interface RowDigest {
  add(row: CopiedRow): void;
  read(): TableDigest;
}

/** The databases put letters in different orders, so the digests of the rows are joined without one. */
export function rowDigest(): RowDigest {
  const joined = Buffer.alloc(32);
  let rows = 0;
  return {
    add(row) {
      const columns = Object.keys(row).toSorted();
      const text = JSON.stringify(columns.map((column) => [column, row[column]]));
      const digest = hash("sha256", text, "buffer");
      for (const [index, byte] of digest.entries()) joined[index] = (joined[index] ?? 0) ^ byte;
      rows += 1;
    },
    read: () => ({ rows, sha256: joined.toString("hex") }),
  };
}
