import type { Browser, BrowserContext, Page } from "playwright-core";
import { WAIT_MS } from "./browser.ts";

export interface ContextOptions {
  readonly phone?: boolean;
  readonly dark?: boolean;
  /** Browser permissions of the page, such as `notifications`. */
  readonly allow?: readonly string[];
  /** With motion. By default the page has reduced motion: pulsing dots take a tenth of a processor. */
  readonly motion?: boolean;
  /** With its service worker. Its requests cannot be observed. */
  readonly worker?: boolean;
  /** Runs in the page before the page's own scripts. */
  readonly before?: () => void;
}

/**
 * Pages without stored data. They are reused: each new browser context starts a process and compiles the scripts of
 * the page again, which takes more time than most tests.
 */
export interface PagePool {
  /** A page for the server at this address. */
  take(url: string, options: ContextOptions): Promise<Page>;
  /** Resets all pages for the next test. Closes tabs that were opened beside them. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

interface Slot {
  readonly page: Page;
  /** Slots with the same key are interchangeable. Null if the page cannot be reused. */
  readonly key: string | null;
}

const PLAIN = {
  phone: false,
  dark: false,
  motion: false,
  worker: false,
  allow: [],
} satisfies ContextOptions;
type WholeOptions = ContextOptions & Required<Pick<ContextOptions, keyof typeof PLAIN>>;

const WIDE = { width: 1280, height: 800 } as const;
const PHONE = { width: 390, height: 844 } as const;
/** A document of the server that runs no script. It keeps the renderer process, unlike `about:blank`. */
const PARKED = "/favicon.svg";

export function openPagePool(browser: Browser): PagePool {
  let taken: Slot[] = [];
  let free: Slot[] = [];
  return {
    take: async (url, options) => {
      const whole = { ...PLAIN, ...options };
      const key = keyOf(url, whole);
      const reused = free.find((slot) => key !== null && slot.key === key);
      free = free.filter((slot) => slot !== reused);
      const slot = reused ?? { key, page: await openPage(browser, url, whole) };
      taken.push(slot);
      return slot.page;
    },
    reset: async () => {
      const slots = taken;
      taken = [];
      await Promise.all(
        slots.map(async (slot) => {
          if (slot.key !== null && (await isReset(slot.page))) free.push(slot);
          else await slot.page.context().close();
        }),
      );
    },
    close: async () => {
      await Promise.all([...taken, ...free].map(({ page }) => page.context().close()));
      [taken, free] = [[], []];
    },
  };
}

/** Null for options that last as long as the context. */
function keyOf(
  url: string,
  { phone, dark, motion, worker, allow, before }: WholeOptions,
): string | null {
  if (worker || before !== undefined || allow.length > 0) return null;
  return JSON.stringify([url, phone, dark, motion]);
}

/** False if the page cannot be reset, for example because its server is gone. */
async function isReset(page: Page): Promise<boolean> {
  const context = page.context();
  const others = context.pages().filter((other) => other !== page);
  try {
    await Promise.all([...others.map((other) => other.close()), context.setOffline(false)]);
    await page.goto(PARKED);
    await context.clearCookies();
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    return true;
  } catch {
    return false;
  }
}

async function openPage(
  browser: Browser,
  url: string,
  { phone, dark, motion, worker, allow, before }: WholeOptions,
): Promise<Page> {
  const context: BrowserContext = await browser.newContext({
    baseURL: url,
    viewport: phone ? PHONE : WIDE,
    hasTouch: phone,
    isMobile: phone,
    deviceScaleFactor: 1,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: motion ? "no-preference" : "reduce",
    permissions: [...allow],
    // Responses of a service worker cannot be observed.
    serviceWorkers: worker ? "allow" : "block",
  });
  context.setDefaultTimeout(WAIT_MS);
  if (before !== undefined) await context.addInitScript(before);
  return context.newPage();
}
