/** The options with which a program of ours runs from source, in the same way as this process. */
export function sourceOptions(): readonly string[] {
  return process.execArgv.filter((option) => option.startsWith("--conditions="));
}
