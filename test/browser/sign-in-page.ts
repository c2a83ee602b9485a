import type { Page } from "playwright-core";
import type { SignInCode } from "../../packages/protocol/src/index.ts";

/** A document of the server that runs no script. */
const PARKED = "/favicon.svg";

/** Signs in the browser context of the page, as opening a new address of the server would. */
export async function signInPage(
  page: Page,
  { url, code }: { readonly url: string; readonly code: SignInCode },
): Promise<void> {
  await page.goto(`${url}${PARKED}`);
  await page.evaluate(
    async (body) => {
      const headers = { "content-type": "application/json" };
      const reply = await fetch("/api/sign-in", { method: "POST", headers, body });
      const { key }: { readonly key: string } = JSON.parse(await reply.text());
      localStorage.setItem("holdfast.key", key);
    },
    JSON.stringify({ code: code.code }),
  );
}
