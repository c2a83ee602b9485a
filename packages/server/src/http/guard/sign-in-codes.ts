import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface NewCode {
  readonly code: string;
  readonly expiresAt: number;
}

/** Codes with which a browser signs in once. They exist only in the memory of this node. */
export interface SignInCodes {
  create(): NewCode;
  /** `unknown`: never made by this process, or too long ago. */
  redeem(code: string): "good" | "used" | "expired" | "unknown";
}

interface StoredCode {
  readonly digest: Buffer;
  readonly expiresAt: number;
  isUsed: boolean;
}

const VALID_MS = 10 * 60_000;
/** Used and expired codes count, so that the reason of a refusal is known for a while. */
const MAX_CODES = 50;

export function createSignInCodes({
  clock = Date.now,
}: { readonly clock?: () => number } = {}): SignInCodes {
  const codes: StoredCode[] = [];
  return {
    create: () => {
      const code = randomBytes(32).toString("base64url");
      const expiresAt = clock() + VALID_MS;
      codes.push({ digest: digestOf(code), expiresAt, isUsed: false });
      if (codes.length > MAX_CODES) codes.shift();
      return { code, expiresAt };
    },
    redeem: (code) => {
      const digest = digestOf(code);
      // All are compared, so that the time reveals nothing.
      const [stored] = codes.filter((each) => timingSafeEqual(each.digest, digest));
      if (stored === undefined) return "unknown";
      if (stored.isUsed) return "used";
      if (clock() >= stored.expiresAt) return "expired";
      stored.isUsed = true;
      return "good";
    },
  };
}

function digestOf(code: string): Buffer {
  return createHash("sha256").update(code).digest();
}
