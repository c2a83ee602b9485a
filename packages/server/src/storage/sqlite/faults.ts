import { StorageFault, type FaultCode } from "../fault.ts";

/** SQLite's primary result codes; extended ones carry them in their lowest byte. */
const CODES: Readonly<Record<number, FaultCode>> = {
  5: "database_busy",
  6: "database_busy",
  8: "database_readonly",
  10: "database_io",
  11: "database_corrupt",
  13: "disk_full",
  14: "database_unavailable",
  19: "constraint_broken",
  26: "database_corrupt",
};

/** The index of the write-ahead log could not grow. */
const IO_ERROR_SHM_SIZE = 4874;

export function faultFromSqlite(error: unknown): unknown {
  if (error instanceof StorageFault) return error;
  const code = errcodeOf(error);
  if (code === null || !(error instanceof Error)) return error;
  const fault = faultCode(code);
  const problem = fault === "disk_full" ? "The disk is full" : "The database failed";
  return new StorageFault(fault, `${problem}: ${error.message}`, { cause: error });
}

/** Another process holds the database. */
export function isBusy(error: unknown): boolean {
  const code = errcodeOf(error);
  return code !== null && faultCode(code) === "database_busy";
}

export function isDiskFull(error: unknown): boolean {
  const code = errcodeOf(error);
  return code !== null && faultCode(code) === "disk_full";
}

function faultCode(code: number): FaultCode {
  if (code === IO_ERROR_SHM_SIZE) return "disk_full";
  return CODES[code % 256] ?? "database_error";
}

function errcodeOf(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error)) return null;
  return typeof error.errcode === "number" ? error.errcode : null;
}
