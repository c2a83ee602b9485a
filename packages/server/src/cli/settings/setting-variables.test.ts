import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { SETTING_VARIABLES, settingsIn, withSettings } from "./setting-variables.ts";

it("every variable that the settings read is in the list, except the data folder", () => {
  const source = readFileSync(path.join(import.meta.dirname, "settings.ts"), "utf8");
  const names = new Set(
    [...source.matchAll(/"((?:HOLDFAST|AGENT)_[A-Z_]+)"/gu)].map(([, name = ""]) => name),
  );
  names.delete("HOLDFAST_DATA");
  const own = SETTING_VARIABLES.filter((name) => /^(?:HOLDFAST|AGENT)_/u.test(name));
  expect(own.toSorted()).toEqual([...names].toSorted());
  expect(SETTING_VARIABLES).toContain("GEMINI_CLI_PATH");
});

it("only variables that are set are kept, and none that is no setting", () => {
  const environment = { HOLDFAST_PORT: "1", HOLDFAST_HOST: "", HOLDFAST_DATA: "/x", KEY: "secret" };
  expect(settingsIn(environment)).toEqual({ HOLDFAST_PORT: "1" });
});

it("recorded settings replace those of the environment, and leave the rest", () => {
  const environment = { HOLDFAST_PORT: "1", HOLDFAST_HOST: "::1", KEY: "value" };
  expect(withSettings(environment, { HOLDFAST_PORT: "2", NODE_OPTIONS: "--x" })).toEqual({
    KEY: "value",
    HOLDFAST_PORT: "2",
  });
});
