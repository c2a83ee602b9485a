import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The one that is named, the machine's, or the one from npm. */
export async function openBrowser(): Promise<Browser> {
  const named = process.env["HOLDFAST_CHROMIUM"] ?? "";
  const file = named === "" ? INSTALLED.find((each) => existsSync(each)) : named;
  if (file !== undefined) {
    return chromium.launch({ executablePath: file, args: ["--no-sandbox", "--disable-gpu"] });
  }
  const { default: packed } = await import("@sparticuz/chromium");
  return chromium.launch({ executablePath: await packed.executablePath(), args: packed.args });
}
