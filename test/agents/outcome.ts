/** The result of a test with an agent. */
export type Outcome =
  | { readonly status: "passed"; readonly note: string }
  | { readonly status: "failed"; readonly why: string }
  | { readonly status: "skipped"; readonly why: string };

/** Thrown if an agent is known not to support what a scenario tests. */
export class Unsupported extends Error {}

/** Longer than any successful attempt. */
const ATTEMPT_MS = 240_000;

export async function toOutcome(attempt: () => Promise<string>): Promise<Outcome> {
  const settled = new AbortController();
  try {
    const timeout = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new Error("timed out")), ATTEMPT_MS);
      settled.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    return { status: "passed", note: await Promise.race([attempt(), timeout]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: error instanceof Unsupported ? "skipped" : "failed", why };
  } finally {
    settled.abort();
  }
}
