/** The database failed. Nothing of the write it interrupted is stored. */
export const FAULT_CODES = [
  /** Another process holds the database; the same call may succeed later. */
  "database_busy",
  "disk_full",
  /** Not reachable, gone, or the connection broke. */
  "database_unavailable",
  "database_corrupt",
  "database_io",
  /** A row was edited by hand, or damaged; it is set aside. */
  "row_unreadable",
  /** The folder or file cannot be written. */
  "database_readonly",
  /** Migrated by a newer version of the program. */
  "schema_too_new",
  /** Migrations are pending. */
  "schema_too_old",
  /** More writes are waiting than the store holds. */
  "writes_overflow",
  /** The statement broke a constraint: a bug of ours, or of who edits the database by hand. */
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

/** The database is away, or starts or stops: the same call may succeed once it is back. Whether it was stored is unknown. */
export function isAbsence(error: unknown): error is StorageFault {
  return error instanceof StorageFault && error.code === "database_unavailable";
}
