import type { ConsoleMessage, Dialog, Page, Request } from "playwright-core";

export interface PageWatch {
  /** Stops collecting. Returns the errors of the page. */
  end(): readonly string[];
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
  const onError = (error: Error): void => report(`error: ${error.stack ?? error.message}`);
  const onConsole = (message: ConsoleMessage): void => {
    if (message.type() === "error" || message.type() === "warning")
      report(`console: ${message.text()} (${message.location().url})`);
  };
  const onDialog = (dialog: Dialog): void => {
    report(`browser dialog: ${dialog.message()}`);
    void dialog.dismiss();
  };
  const onRequest = (request: Request): void => {
    const { origin } = new URL(request.url());
    if (origin !== new URL(url).origin && origin !== "null")
      report(`request to another host: ${request.url()}`);
  };
  page.on("pageerror", onError);
  page.on("console", onConsole);
  page.on("dialog", onDialog);
  page.on("request", onRequest);
  return {
    end: () => {
      page.off("pageerror", onError);
      page.off("console", onConsole);
      page.off("dialog", onDialog);
      page.off("request", onRequest);
      return errors;
    },
  };
}
