/** For `.catch`: null for a system error with one of these codes. Other errors are thrown again. */
export function nullOn(...codes: readonly string[]): (error: unknown) => null {
  return (error) => {
    if (error instanceof Error && "code" in error && codes.includes(String(error.code)))
      return null;
    throw error;
  };
}
