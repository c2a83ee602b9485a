/**
 * uPlot formats numbers in the language of the browser as soon as it is loaded, and fails if its tag is not valid, such
 * as `en-US@posix`. This module is imported before it.
 */
if (typeof navigator !== "undefined" && !isValid(navigator.language))
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });

function isValid(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

export {};
