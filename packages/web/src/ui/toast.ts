import { errorText } from "@holdfast/client";
import type { Toast } from "./toaster.tsx";

/** Shows a short message. The toaster is loaded with the first one. */
export async function showToast(toast: Toast): Promise<void> {
  const { present } = await import("./toaster.tsx");
  present(toast);
}

/** Shows that an action failed, and why. */
export function showFailure(failure: string, error: unknown): void {
  void showToast({ text: `${failure}: ${errorText(error)}`, tone: "danger", durationMs: 8_000 });
}
