import type { Page } from "playwright-core";

export interface PageWatch {
  /** The errors of the page so far. */
  errors(): readonly string[];
}

/** Expected, because the rig blocks service workers. */
const BLOCKED_WORKER = "console: Service Worker registration blocked by Playwright";

/** Collects errors of the page and requests to any host but its server. */
export function watchPage(
  page: Page,
  { url, expected }: { readonly url: string; readonly expected: RegExp | null },
): PageWatch {
  const errors: string[] = [];
  const report = (text: string): void => {
    if (text.startsWith(BLOCKED_WORKER)) return;
    if (expected === null || !expected.test(text)) errors.push(text);
  };
  page.on("pageerror", (error) => report(`error: ${error.stack ?? error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning")
      report(`console: ${message.text()} (${message.location().url})`);
  });
  page.on("dialog", (dialog) => {
    report(`browser dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(url).origin && origin !== "null")
      report(`request to another host: ${request.url()}`);
  });
  return { errors: () => errors };
}
