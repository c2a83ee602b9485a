/** Codes of database failures. A failed write stores nothing. */
export const FAULT_CODES = [
  /** Another process holds the database; the same call may succeed later. */
  "database_busy",
  "disk_full",
  /** Unreachable, stopped, or the connection broke. */
  "database_unavailable",
  "database_corrupt",
  "database_io",
  /** A row is damaged or was edited by hand. It is quarantined. */
  "row_unreadable",
  /** The folder or file cannot be written. */
  "database_readonly",
  /** Migrated by a newer version of the program. */
  "schema_too_new",
  /** Migrations are pending. */
  "schema_too_old",
  /** More writes are waiting than the store holds. */
  "writes_overflow",
  /** The statement violated a constraint: a bug, or a manual edit of the database. */
  "constraint_broken",
  "store_closed",
  "database_error",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export class StorageFault extends Error {
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = "StorageFault";
    this.code = code;
  }
}

export function isDiskFull(error: unknown): error is StorageFault {
  return error instanceof StorageFault && error.code === "disk_full";
}

/** The database is unreachable, starting or stopping. Whether the write was stored is unknown. */
export function isAbsence(error: unknown): error is StorageFault {
  return error instanceof StorageFault && error.code === "database_unavailable";
}
