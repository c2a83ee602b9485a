/** The CPU time of `work` in milliseconds. Unlike the elapsed time, it does not grow with the load of the machine. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
