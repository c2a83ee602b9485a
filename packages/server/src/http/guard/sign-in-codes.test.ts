import { describe, expect, it } from "vitest";
import { createSignInCodes } from "./sign-in-codes.ts";

const MINUTE_MS = 60_000;

describe("a sign-in code", () => {
  it("is random and works once, within ten minutes", () => {
    let now = 0;
    const codes = createSignInCodes({ clock: () => now });
    const [first, second] = [codes.create(), codes.create()];
    expect(first.code).toMatch(/^[\w-]{43}$/u);
    expect(first.code).not.toBe(second.code);
    expect(first.expiresAt).toBe(10 * MINUTE_MS);
    now = 10 * MINUTE_MS - 1;
    expect(codes.redeem(first.code)).toBe("good");
    expect(codes.redeem(first.code)).toBe("used");
    now += 1;
    expect(codes.redeem(second.code)).toBe("expired");
    for (const wrong of ["", first.code.slice(1), `${second.code}x`])
      expect(codes.redeem(wrong)).toBe("unknown");
  });

  it("is forgotten after fifty newer ones", () => {
    const codes = createSignInCodes({ clock: () => 0 });
    const made = Array.from({ length: 51 }, () => codes.create().code);
    expect(codes.redeem(made[0] ?? "")).toBe("unknown");
    expect(codes.redeem(made[1] ?? "")).toBe("good");
  });
});
