import type { Page } from "playwright-core";

export interface PageWatch {
  /** What has gone wrong on the page so far. */
  complaints(): readonly string[];
}

/** The rig keeps service workers out, and that is said. */
const OURS = "console: Service Worker registration blocked by Playwright";

/** Errors of the page, and every request to anybody but its server: neither is ever fine. */
export function watchPage(
  page: Page,
  { url, expected }: { readonly url: string; readonly expected: RegExp | null },
): PageWatch {
  const complaints: string[] = [];
  const complain = (text: string): void => {
    if (text.startsWith(OURS)) return;
    if (expected === null || !expected.test(text)) complaints.push(text);
  };
  page.on("pageerror", (error) => complain(`error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      complain(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("dialog", (dialog) => {
    complain(`a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(url).origin && origin !== "null")
      complain(`a request to another host: ${request.url()}`);
  });
  return { complaints: () => complaints };
}
