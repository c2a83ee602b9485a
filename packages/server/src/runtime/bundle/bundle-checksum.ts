import { createHash } from "node:crypto";

/** Over the lines of a bundle as they are written, each with its newline, up to the last one. */
export interface BundleChecksum {
  add(line: string): void;
  /** In hexadecimal digits, of what was added; ends it. */
  end(): string;
}

export function bundleChecksum(): BundleChecksum {
  const hash = createHash("sha256");
  return {
    add: (line) => void hash.update(line).update("\n"),
    end: () => hash.digest("hex"),
  };
}
