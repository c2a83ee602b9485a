import { errorText } from "@holdfast/client";
import type { Toast } from "./toaster.tsx";

/** Shows a short message. The toaster is loaded with the first one. */
export async function showToast(toast: Toast): Promise<void> {
  const { present } = await import("./toaster.tsx");
  present(toast);
}

/** Copies a text and confirms it. Without a secure context there is no clipboard. */
export async function copyText(text: string, confirmation: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    await showToast({ text: confirmation });
  } catch {
    await showToast({ text: "The browser does not allow copying here", tone: "danger" });
  }
}

/** Shows that an action failed, and why. */
export function showFailure(failure: string, error: unknown): void {
  void showToast({ text: `${failure}: ${errorText(error)}`, tone: "danger", durationMs: 8_000 });
}
