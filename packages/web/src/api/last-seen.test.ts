import { describe, expect, it } from "vitest";
import { createLastSeen } from "./last-seen.ts";
import type { PageStorage } from "./page-storage.ts";

describe("the time until which a session was shown", () => {
  it("is kept for the next visit and never goes back", () => {
    const storage = memory();
    const seen = createLastSeen(storage);
    expect(seen.lastSeen("s1")).toBeNull();
    seen.markSeen("s1", "2026-01-01T10:00:00.000Z");
    seen.markSeen("s1", "2026-01-01T09:00:00.000Z");
    expect(seen.lastSeen("s1")).toBe("2026-01-01T10:00:00.000Z");
    expect(createLastSeen(storage).lastSeen("s1")).toBe("2026-01-01T10:00:00.000Z");
  });

  it("tells its subscribers, and keeps what another tab wrote", () => {
    const storage = memory();
    const [one, other] = [createLastSeen(storage), createLastSeen(storage)];
    let told = 0;
    one.subscribe(() => (told += 1));
    expect(one.lastSeen("s2")).toBeNull();
    other.markSeen("s2", "2026-01-01T10:00:00.000Z");
    one.markSeen("s1", "2026-01-01T10:00:00.000Z");
    expect([told, one.lastSeen("s2")]).toEqual([1, "2026-01-01T10:00:00.000Z"]);
    other.refresh("holdfast.seen");
    expect(other.lastSeen("s1")).toBe("2026-01-01T10:00:00.000Z");
  });

  it("is forgotten first for the session that was seen longest ago", () => {
    const seen = createLastSeen(memory());
    for (let count = 0; count < 501; count += 1)
      seen.markSeen(`s${count}`, "2026-01-01T10:00:00.000Z");
    expect([seen.lastSeen("s0"), seen.lastSeen("s1")]).toEqual([null, "2026-01-01T10:00:00.000Z"]);
  });

  it("is unknown if the storage holds something else", () => {
    expect(createLastSeen(memory('[["s1"],7]')).lastSeen("s1")).toBeNull();
  });
});

function memory(initial: string | null = null): PageStorage {
  let stored = initial;
  return { get: () => stored, set: (_, value) => void (stored = value) };
}
