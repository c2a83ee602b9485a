/** The time limit for a line. A tokenizer that exceeds it leaves the rest of the line, and what follows, without colours. */
const LINE_MS = 500;
const PATIENT_MS = 20_000;

/**
 * Tokenizes again, with more time, if a line may have exceeded the limit. The first lines of a language are slow, since
 * its grammar is compiled with them; on a slow machine they exceed the limit without being hard.
 */
export function patiently<Tokens>(
  tokenize: (lineMs: number) => Tokens,
  now: () => number = () => performance.now(),
): Tokens {
  const start = now();
  const tokens = tokenize(LINE_MS);
  return now() - start < LINE_MS ? tokens : tokenize(PATIENT_MS);
}
