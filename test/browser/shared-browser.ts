import { MissingHere } from "../../packages/server/src/domain/testing/machine.ts";
import { NO_BROWSER, openBrowserServer, SHARED_BROWSER } from "./browser.ts";

/** One browser for all test files; each of their pages is in a context that nobody has been in before. */
export async function setup(): Promise<() => Promise<void>> {
  try {
    const server = await openBrowserServer();
    process.env[SHARED_BROWSER] = server.wsEndpoint();
    return () => server.close();
  } catch (error) {
    if (!(error instanceof MissingHere)) throw error;
    process.env[NO_BROWSER] = error.message;
    return async () => {};
  }
}
