import { openBrowserServer, SHARED_BROWSER } from "./browser.ts";

/** One browser for all test files; each of their pages is in a context that nobody has been in before. */
export async function setup(): Promise<() => Promise<void>> {
  const server = await openBrowserServer();
  process.env[SHARED_BROWSER] = server.wsEndpoint();
  return () => server.close();
}
