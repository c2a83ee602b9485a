import type { Page } from "playwright-core";
import { createClient } from "../../packages/client/src/index.ts";

/** A document of the server that runs no script. */
const PARKED = "/favicon.svg";

/** Signs in the browser context of the page, as opening a new address of the server would. */
export async function signInPage(
  page: Page,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<void> {
  const { code } = await createClient({ url, token }).signInCode();
  await page.goto(`${url}${PARKED}`);
  await page.evaluate(async (body) => {
    const headers = { "content-type": "application/json" };
    const reply = await fetch("/api/sign-in", { method: "POST", headers, body });
    const { key }: { key: string } = await reply.json();
    localStorage.setItem("holdfast.key", key);
  }, JSON.stringify({ code }));
}
