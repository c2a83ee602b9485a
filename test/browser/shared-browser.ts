import { MissingHere } from "../../packages/server/src/domain/testing/machine.ts";
import { NO_BROWSER, openBrowserServer, SHARED_BROWSER } from "./browser.ts";

/** Starts one browser for all test files. Each page has a new browser context. */
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
