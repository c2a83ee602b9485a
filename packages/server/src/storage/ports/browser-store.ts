import type { Scope } from "../../domain/scope.ts";
import type { BrowserRow } from "../tables.ts";

export interface BrowserStore {
  /** Beyond the limit, the least recently used browsers are removed, and always the expired ones. */
  addBrowser(request: AddBrowser): Promise<void>;
  /** Oldest first, including expired ones. */
  listBrowsers(): Promise<readonly Browser[]>;
  markBrowserUsed(use: { readonly id: string; readonly at: number }): Promise<void>;
  /** All of them if `id` is null. Returns how many were removed. */
  removeBrowsers(query: { readonly id: string | null }): Promise<number>;
}

/** A browser that is signed in. The row does not reveal its secrets. */
export type Browser = Readonly<Omit<BrowserRow, "scope">> & { readonly scope: Scope };

export interface AddBrowser {
  readonly browser: Browser;
  /** Maximum number of browsers. */
  readonly limit: number;
}
