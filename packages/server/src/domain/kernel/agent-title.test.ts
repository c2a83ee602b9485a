import { describe, expect, it } from "vitest";
import { create, recordResume, suggestTitle, update } from "../testing/commands.ts";
import { sessionAfter } from "../testing/given.ts";

const OPEN = [create(), recordResume(true, { session: "a" })];
const named = (title: string | null) => update({ changes: { title } });

describe("the title that an agent gives", () => {
  it("follows the agent", () => {
    const { title } = sessionAfter(...OPEN, suggestTitle("Trees"), suggestTitle("Fruit trees"));
    expect(title).toBe("Fruit trees");
  });

  it("follows another agent, and survives a new session of the first", () => {
    const { title } = sessionAfter(
      ...OPEN,
      suggestTitle("Trees"),
      recordResume(true, { session: "b" }),
      recordResume(true, { session: "c" }, "gemini"),
      suggestTitle("Fruit", "gemini"),
      suggestTitle("Fruit trees"),
    );
    expect(title).toBe("Fruit trees");
  });

  it("never replaces one that a person gave", () => {
    expect(sessionAfter(...OPEN, named("Mine"), suggestTitle("Trees")).title).toBe("Mine");
    const later = [suggestTitle("Trees"), named("Mine"), suggestTitle("Fruit")];
    expect(sessionAfter(...OPEN, ...later).title).toBe("Mine");
  });

  it("stays once a person has confirmed it", () => {
    const later = [suggestTitle("Trees"), named("Trees"), suggestTitle("Fruit")];
    expect(sessionAfter(...OPEN, ...later).title).toBe("Trees");
  });

  it("comes back after a person has removed it", () => {
    const later = [suggestTitle("Trees"), named(null), suggestTitle("Fruit")];
    expect(sessionAfter(...OPEN, ...later).title).toBe("Fruit");
  });
});
