import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeat } from "../testing/repeat.ts";
import {
  MAX_KEPT_OPTIONS,
  newsIn,
  parseKeptSettings,
  parseRunSettings,
  runSettingsOf,
  settingsOf,
  valueIn,
  withoutChoices,
  withSettings,
  type KeptSettings,
  type SettingsChange,
} from "./agent-settings.ts";

const TRIES = repeat({ short: 200, long: 20_000 });
const id = fc.constantFrom("effort", "fast", "constructor", "toString", "hasOwnProperty", "x");
const value = fc.oneof(fc.constantFrom("low", "high", ""), fc.boolean());
const change: fc.Arbitrary<SettingsChange> = fc.record(
  {
    provider: fc.constantFrom("a", "b", "c"),
    mode: fc.constantFrom("ask", "plan", null),
    options: fc.dictionary(id, fc.option(value), { maxKeys: 4, noNullPrototype: true }),
  },
  { requiredKeys: ["provider"], noNullPrototype: true },
);
const after = (changes: readonly SettingsChange[]): readonly KeptSettings[] =>
  changes.reduce(withSettings, []);

describe("kept settings", () => {
  it("D3 have the last value of each mode and option, by provider", () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const kept = after(changes);
        for (const provider of ["a", "b", "c"]) {
          const own = changes.filter((each) => each.provider === provider);
          const mode = own.findLast((each) => each.mode !== undefined)?.mode ?? null;
          const settings = settingsOf(kept, provider);
          expect(settings.mode).toBe(mode);
          for (const name of ["effort", "fast", "constructor", "toString", "hasOwnProperty", "x"]) {
            const last = own.findLast(({ options = {} }) => Object.hasOwn(options, name));
            const expected =
              last?.options === undefined ? undefined : (last.options[name] ?? undefined);
            expect(valueIn(settings.options, name)).toBe(expected);
          }
        }
      }),
      { numRuns: TRIES },
    );
  });

  it("D3 survive being stored, and a repeated change is no news", () => {
    fc.assert(
      fc.property(fc.array(change), change, (changes, next) => {
        const kept = after(changes);
        expect(parseKeptSettings(JSON.parse(JSON.stringify(kept)))).toEqual(kept);
        const news = newsIn(kept, next);
        const later = withSettings(kept, next);
        expect(newsIn(later, next)).toBeNull();
        // The news alone have the same result.
        const byNews = news === null ? kept : withSettings(kept, news);
        expect(byProvider(byNews)).toEqual(byProvider(later));
      }),
      { numRuns: TRIES },
    );
  });

  it("D3 never contain what a message chose for its own run", () => {
    fc.assert(
      fc.property(change, change, (changed, chosen) => {
        const { mode = null, options = {} } = chosen;
        const values = Object.entries(options).flatMap(([name, each]) =>
          each === null ? [] : [[name, each] as const],
        );
        const own = runSettingsOf({ mode, options: Object.fromEntries(values) }) ?? {};
        const left = withoutChoices(changed, own);
        expect(own.mode !== undefined && left.mode !== undefined).toBe(false);
        for (const name of Object.keys(own.options ?? {}))
          expect(Object.hasOwn(left.options ?? {}, name)).toBe(false);
        expect(parseRunSettings(JSON.parse(JSON.stringify(own))) ?? {}).toEqual(own);
      }),
      { numRuns: TRIES },
    );
  });

  it("P6 are bounded: the oldest options and providers are dropped", () => {
    const many = Array.from({ length: 500 }, (_, index): SettingsChange => ({
      provider: `p${index % 40}`,
      options: Object.fromEntries(
        Array.from({ length: 10 }, (_each, at) => [`o${index * 10 + at}`, true]),
      ),
    }));
    const kept = after(many);
    expect(kept).toHaveLength(20);
    for (const { options } of kept)
      expect(Object.keys(options).length).toBeLessThanOrEqual(MAX_KEPT_OPTIONS);
  });

  it("are empty if what is stored is not valid", () => {
    expect(parseKeptSettings("x")).toEqual([]);
    expect(
      parseKeptSettings([{ provider: 1 }, null, { provider: "a", options: { b: 1 } }]),
    ).toEqual([{ provider: "a", mode: null, options: {} }]);
    expect(parseRunSettings([])).toBeUndefined();
    expect(parseRunSettings({ mode: 1, options: [] })).toBeUndefined();
  });
});

/** Without the order, which only decides what is dropped. */
function byProvider(kept: readonly KeptSettings[]): object {
  return Object.fromEntries(kept.map((each) => [each.provider, each]));
}
