/** What came of trying something with an agent. */
export type Outcome =
  | { readonly status: "passed"; readonly note: string }
  | { readonly status: "failed"; readonly why: string }
  | { readonly status: "skipped"; readonly why: string };

/** Thrown where an agent cannot do what a scenario is about, and is known not to. */
export class Lacking extends Error {}

/** Longer than anything takes that goes well. */
const ATTEMPT_MS = 240_000;

export async function toOutcome(attempt: () => Promise<string>): Promise<Outcome> {
  const late = new AbortController();
  try {
    const timeout = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new Error("it took too long")), ATTEMPT_MS);
      late.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    return { status: "passed", note: await Promise.race([attempt(), timeout]) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { status: error instanceof Lacking ? "skipped" : "failed", why };
  } finally {
    late.abort();
  }
}
