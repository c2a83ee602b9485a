/** How long a graceful stop may take before the process ends anyway. */
const STOP_WITHIN_MS = 10_000;

/** Stops when asked to; asked twice, or too slow, the process ends at once. */
export async function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(130));
        resolve();
      });
    }
  });
  const overdue = setTimeout(() => {
    process.stderr.write("holdfast: not everything stopped in time; ending anyway.\n");
    process.exit(2);
  }, STOP_WITHIN_MS);
  await stop();
  clearTimeout(overdue);
}
