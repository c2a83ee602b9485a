export interface Toast {
  readonly text: string;
  readonly tone?: "plain" | "danger";
  readonly action?: { readonly label: string; readonly onPress: () => void };
  readonly durationMs?: number;
}

/** Says something in passing. What shows it is loaded with the first one. */
export async function showToast(toast: Toast): Promise<void> {
  const { present } = await import("./toaster.tsx");
  present(toast);
}

/** Says that something was not done, and why. */
export function showFailure(what: string, error: unknown): void {
  void showToast({ text: `${what}: ${reasonOf(error)}`, tone: "danger", durationMs: 8_000 });
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
