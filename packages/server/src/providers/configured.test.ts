import { describe, expect, it } from "vitest";
import { BUILT_IN, define } from "./built-in.ts";
import { definitionsOf, type ConfiguredAgent } from "./configured.ts";

describe("the built-in agents", () => {
  it("all have a command to install them and a variable for their path", () => {
    expect(BUILT_IN.map(({ name }) => name)).toEqual([
      "gemini",
      "claude",
      "codex",
      "opencode",
      "qwen",
      "copilot",
      "cline",
      "kilo",
      "droid",
      "goose",
    ]);
    for (const { install, pathVariable, command } of BUILT_IN) {
      expect(install).not.toBeNull();
      expect(pathVariable).toMatch(/^[A-Z_]+_PATH$/u);
      expect(command[0]).toMatch(/^[a-z-]+$/u);
    }
  });

  it("get no key of another service", () => {
    const keys = BUILT_IN.flatMap(({ name, passes }) =>
      passes.filter((variable) => /KEY|TOKEN/u.test(variable)).map((variable) => [variable, name]),
    );
    expect(new Map(keys.map(([variable = ""]) => [variable, true])).size).toBe(keys.length);
  });

  it("ask before they make changes, by their mode, environment or arguments", () => {
    for (const { name, mode, env } of BUILT_IN) {
      const asks = mode !== null || /"ask"|approve/u.test(Object.values(env).join(" "));
      expect([name, asks]).toEqual([name, true]);
    }
  });
});

describe("configured agents", () => {
  it("override a built-in definition, and keep the rest of it", () => {
    const gemini = BUILT_IN[0];
    const [changed, ...others] = definitionsOf(
      new Map([
        [
          "gemini",
          {
            command: ["my-gemini"],
            env: { GEMINI_API_KEY: "key" },
            passEnv: ["MORE", "GEMINI_API_KEY"],
            mode: null,
            models: ["big"],
            protocol: "auto",
            tools: false,
          },
        ],
      ]),
    );
    expect(changed).toEqual({
      ...gemini,
      command: ["my-gemini"],
      env: {
        GEMINI_CLI_NO_RELAUNCH: "true",
        GEMINI_PTY_INFO: "child_process",
        GEMINI_API_KEY: "key",
      },
      passes: [...(gemini?.passes ?? []), "MORE"],
      mode: null,
      asks: null,
      models: ["big"],
      protocol: "auto",
      tools: false,
    });
    expect(others).toEqual(BUILT_IN.slice(1));
  });

  it("still ask, unless the settings that make them ask are changed", () => {
    const asks = (name: string, agent: ConfiguredAgent): boolean | null | undefined =>
      definitionsOf(new Map([[name, agent]])).find((each) => each.name === name)?.asks;
    expect(asks("gemini", { env: { GEMINI_API_KEY: "key" }, models: ["big"] })).toBe(true);
    expect(asks("gemini", { command: ["gemini", "--acp"], mode: "default" })).toBe(true);
    expect(asks("gemini", { command: ["gemini", "--acp", "--yolo"] })).toBe(null);
    expect(asks("gemini", { mode: "yolo" })).toBe(null);
    expect(asks("goose", { env: { GOOSE_MODE: "auto" } })).toBe(null);
    expect(asks("mine", { command: ["mine"] })).toBe(null);
  });

  it("can be other programs", () => {
    expect(definitionsOf(new Map([["mine", { command: ["node", "x.mjs"] }]])).at(-1)).toEqual(
      define({ name: "mine", command: ["node", "x.mjs"] }),
    );
  });
});
