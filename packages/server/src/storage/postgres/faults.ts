import { StorageFault, type FaultCode } from "../fault.ts";

/** By SQLSTATE, longest prefix first. A statement that the server cancelled may succeed later. */
const CODES: readonly (readonly [prefix: string, code: FaultCode])[] = [
  ["53100", "disk_full"],
  ["40001", "database_busy"],
  ["40P01", "database_busy"],
  ["55P03", "database_busy"],
  ["57014", "database_busy"],
  ["25006", "database_readonly"],
  ["25P03", "database_unavailable"],
  ["57P", "database_unavailable"],
  ["53", "database_unavailable"],
  ["08", "database_unavailable"],
  ["28", "database_unavailable"],
  ["3D", "database_unavailable"],
  ["58", "database_io"],
  ["XX001", "database_corrupt"],
  ["XX002", "database_corrupt"],
  ["23", "constraint_broken"],
];

const NETWORK = new Set([
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

export function faultFromPostgres(error: unknown): unknown {
  if (error instanceof StorageFault || !(error instanceof Error)) return error;
  const code = codeOf(error);
  return code === null
    ? error
    : new StorageFault(code, `The database failed: ${error.message}`, { cause: error });
}

function codeOf(error: Error): FaultCode | null {
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  if (code === null) return isLostConnection(error) ? "database_unavailable" : null;
  if (NETWORK.has(code)) return "database_unavailable";
  if (!/^[0-9A-Z]{5}$/u.test(code)) return null;
  return CODES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? "database_error";
}

/** The driver gives its own failures no code. */
function isLostConnection({ message }: Error): boolean {
  return /^(Connection terminated|Query read timeout|timeout e|Client (has encountered|was closed))/u.test(
    message,
  );
}
