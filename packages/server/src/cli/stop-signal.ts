/** How long a graceful stop may take before the process ends anyway. */
const STOP_WITHIN_MS = 10_000;

/** Listens from now on; resolves when the process is asked to stop. Asked twice, it ends at once. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
}

export async function stopInTime(stop: () => Promise<void>): Promise<void> {
  const overdue = setTimeout(() => {
    process.stderr.write("holdfast: not everything stopped in time; ending anyway.\n");
    process.exit(2);
  }, STOP_WITHIN_MS);
  await stop();
  clearTimeout(overdue);
}
