import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";
import path from "node:path";

/**
 * Finds damage without slowing down the server: another process with the lowest priority does it, with pauses. A check
 * of a large file cannot be interrupted, so that a thread of this process would delay its end.
 */
export async function findDamageSlowly(
  file: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const program = path.join(
    import.meta.dirname,
    `damage-process${path.extname(import.meta.filename)}`,
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child = execFile(
    process.execPath,
    [program, file],
    { env: {}, signal, killSignal: "SIGKILL" },
    (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
  );
  if (child.pid !== undefined) lower(child.pid);
  child.unref();
  const findings: unknown = JSON.parse(await promise);
  return Array.isArray(findings) ? findings.map(String) : [];
}

function lower(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has already ended, or the system does not allow it.
  }
}
