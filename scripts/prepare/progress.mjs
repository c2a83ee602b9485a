const TERMINAL_MS = 500;
/** A log is read later, so it gets fewer lines than a terminal gets updates. */
const LOG_MS = 10_000;

/**
 * Runs `work` and shows on stderr what it does and for how long. `work` may pass further words to the function it gets, such as
 * "120 packages". On a terminal one line is updated; elsewhere there is a line at the start, every ten seconds, and at the end.
 */
export async function showProgress(title, work, stream = process.stderr) {
  const startedMs = performance.now();
  let detail = "";
  const write = (outcome) => {
    const seconds = `${((performance.now() - startedMs) / 1_000).toFixed(0)} s`;
    const line = `${title}: ${[outcome, detail, seconds].filter((part) => part !== "").join(", ")}`;
    stream.write(stream.isTTY ? `\r\u001B[K${line}` : `${line}\n`);
  };
  write("");
  const timer = setInterval(() => write(""), stream.isTTY ? TERMINAL_MS : LOG_MS);
  let outcome = "failed";
  try {
    const result = await work((words) => (detail = words));
    outcome = "done";
    return result;
  } finally {
    clearInterval(timer);
    write(outcome);
    if (stream.isTTY) stream.write("\n");
  }
}
