import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { PHASES } from "../../domain/phase.ts";
import { CORPUS, inUtc } from "./testing/corpus.ts";
import { ALL_SAME, GaiaRig } from "./testing/gaia-rig.ts";

let rig: GaiaRig;
afterEach(() => rig.close());

describe.each(["sqlite", "postgres"] as const)("GAIA's files, through %s and back", (engine) => {
  it("B8 are exported as they were imported, with their times in UTC (ruling 22)", async () => {
    rig = await GaiaRig.open(engine);
    const total = Object.keys(CORPUS).length;
    for (const [name, state] of Object.entries(CORPUS)) rig.write(name, state);
    expect(await rig.import()).toEqual({ ...ALL_SAME, total, imported: total });
    expect(await rig.export()).toEqual({ written: total, unchanged: 0, refused: [] });
    const expected = Object.entries(rig.read(rig.folder)).map(([name, state]) => [
      name,
      inUtc(Object(state)),
    ]);
    expect(rig.read()).toEqual(Object.fromEntries(expected));
    expect(await rig.import()).toEqual({ ...ALL_SAME, total, unchanged: total });
    expect(await rig.import({ folder: rig.exported })).toEqual({
      ...ALL_SAME,
      total,
      unchanged: total,
    });
    expect(await rig.export()).toEqual({ written: 0, unchanged: total, refused: [] });
  });
});

describe("any state of a session", () => {
  it("B8 is exported as it was imported, with its times in UTC (ruling 22)", async () => {
    rig = await GaiaRig.open();
    await fc.assert(
      fc.asyncProperty(anyState, anyState, async (first, second) => {
        for (const folder of [rig.folder, rig.exported])
          rmSync(folder, { recursive: true, force: true });
        await rig.store.deleteSessions([...(await sessionIds())]);
        rig.write("any", first);
        expect(await rig.import()).toEqual({ ...ALL_SAME, total: 1, imported: 1 });
        await rig.export();
        expect(rig.read()).toEqual({ any: inUtc(first) });
        expect(await rig.import()).toEqual({ ...ALL_SAME, total: 1, unchanged: 1 });

        rig.write("any", second);
        await rig.import();
        rmSync(rig.exported, { recursive: true });
        await rig.export();
        expect(rig.read()).toEqual({ any: inUtc(second) });
      }),
      { numRuns: 60 },
    );
  });
});

async function sessionIds(): Promise<readonly string[]> {
  return (await rig.store.listSessions({ limit: 10 })).sessions.map(({ id }) => id);
}

const anyTime = fc
  .tuple(
    fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2030, 0) }),
    fc.constantFrom("", ".5", ".123456", ".000001"),
    fc.constantFrom("", "Z", "+00:00", "-05:30", "+0200"),
  )
  .map(([at, fraction, zone]) => `${new Date(at).toISOString().slice(0, 19)}${fraction}${zone}`);

const anyText = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .map((text) => text.replaceAll("\0", ""));
const anyKey = fc.oneof(
  anyText,
  fc.constantFrom("gaiaState", "permissions", "permissionGrants", "summary", "__proto__"),
);
const anyJson = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 9007199254740991),
    anyText,
    fc.array(tie("json"), { maxLength: 3 }),
    fc.dictionary(anyKey, tie("json"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json;

const anyPhase = fc.constantFrom(...PHASES);
const anyEntry = fc
  .tuple(
    fc.dictionary(anyText, anyJson, { maxKeys: 1, noNullPrototype: true }),
    fc.record({ from_phase: anyPhase, to_phase: anyPhase, timestamp: anyTime }),
  )
  .map(([more, entry]) => ({ ...more, ...entry }));

/** What GAIA writes, what it may leave out, and what somebody else has added. */
const anyState = fc
  .tuple(
    fc.dictionary(anyKey, anyJson, { maxKeys: 2, noNullPrototype: true }),
    fc.record(
      {
        agent_name: fc.option(anyText),
        purpose: fc.option(anyText),
        last_updated: fc.option(anyTime),
        metadata: fc.option(fc.dictionary(anyKey, anyJson, { maxKeys: 3, noNullPrototype: true })),
        resume_ready: fc.boolean(),
        history: fc.option(fc.array(anyEntry, { maxLength: 4 })),
        error_count: fc.option(fc.nat(9)),
        last_error: fc.option(
          fc.oneof(
            anyText,
            fc.record({ message: anyText, timestamp: anyTime }, { requiredKeys: [] }),
          ),
        ),
        finalized_at: fc.option(anyTime),
        summary: fc.option(anyText),
        duration_seconds: fc.double({ min: 0, max: 1e9, noNaN: true }).map((value) => value + 0),
      },
      { requiredKeys: [] },
    ),
    fc.record({ phase: anyPhase, created_at: anyTime }),
  )
  .map(([unknown, optional, required]) => ({
    ...withoutSummary(unknown),
    ...optional,
    ...required,
    agent_id: "any",
  }));

/** Not a field of anybody's: GAIA's own is a text. */
function withoutSummary({ summary: _, ...fields }: Record<string, unknown>) {
  return fields;
}
