/** How long a graceful stop may take before the process ends anyway. */
const STOP_WITHIN_MS = 10_000;
const AFTER_DRAIN_MS = 7_000;

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

/** Longer where runs are given much time to end before anything else is done. */
export async function stopInTime(
  stop: () => Promise<void>,
  { drainMs }: { readonly drainMs: number },
): Promise<void> {
  const overdue = setTimeout(
    () => {
      process.stderr.write("holdfast: not everything stopped in time; ending anyway.\n");
      process.exit(2);
    },
    Math.max(STOP_WITHIN_MS, drainMs + AFTER_DRAIN_MS),
  );
  await stop();
  // Should something be left that keeps the process alive, it ends all the same.
  overdue.unref();
}
