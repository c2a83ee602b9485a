import { describe, expect, it } from "vitest";
import { BUILT_IN } from "../built-in.ts";
import { secretsOfInherited, secretsOfOwn, secretsOfUrl } from "./secret-values.ts";

const RANDOM = "4fQ9xZ7k2LmB8vR1tY6w";

it("the variables of the built-in agents have none: their words occur in every transcript", () => {
  expect(BUILT_IN.flatMap(({ env }) => secretsOfOwn(env))).toEqual([]);
});

describe("in variables set for an agent", () => {
  it("every value is a secret", () => {
    expect(secretsOfOwn({ MINE: "swordfish", OTHER: "two words" })).toEqual([
      "swordfish",
      "two words",
    ]);
  });

  it.each([
    ["short", { API_KEY: "1234567" }],
    ["a switch", { AGENT_UPDATES: "disabled", OTHER: "true" }],
    ["a number", { BUDGET: "1000000000" }],
    ["a path", { CREDENTIALS: "/usr/local/bin", HOME_FOLDER: "~/.config/agent" }],
    ["a URL", { BASE: "https://api.example.com/v1" }],
    ["a model", { ANTHROPIC_MODEL: "claude-opus-4-5-20251101" }],
    [
      "a name, a language or a terminal",
      { USER: "somebody", LANG: "en_US.UTF-8", TERM: "xterm-256color" },
    ],
    ["the home folder of the server", { SOMETHING: process.env["HOME"] }],
    [
      "settings in JSON",
      { CONFIG: JSON.stringify({ permission: { edit: "ask", bash: "ask it" } }) },
    ],
  ])("except %s", (_name, variables) => {
    expect(secretsOfOwn(variables)).toEqual([]);
  });

  it("what looks random is a secret, whatever it is named and wherever it is", () => {
    expect(secretsOfOwn({ SOME_MODEL: RANDOM })).toEqual([RANDOM]);
    const hook = `https://hooks.example/services/${RANDOM}`;
    expect(secretsOfOwn({ HOOK_URL: hook })).toEqual([hook]);
    const json = JSON.stringify({ mcp: [{ headers: { "X-Key": "swordfish", other: RANDOM } }] });
    expect(secretsOfOwn({ CONFIG: json })).toEqual(["swordfish", RANDOM]);
  });

  it("the parts of a value are secrets, too", () => {
    expect(secretsOfOwn({ HEADER: "Bearer swordfish" })).toEqual(["Bearer swordfish", "swordfish"]);
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";
    const pem = `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----`;
    expect(secretsOfOwn({ PEM: pem })).toEqual([pem, line]);
    expect(secretsOfOwn({ DB: "postgres://me:sword%2Ffish@db/app" })).toEqual([
      "sword%2Ffish",
      "sword/fish",
    ]);
  });
});

it("of inherited variables only those are secrets whose name or value looks like one", () => {
  expect(
    secretsOfInherited({
      SOME_API_KEY: "swordfish",
      GH_TOKEN: "swordfish2",
      DB_PASSWORD: "swordfish3",
      PLAIN: "swordfish4",
      ODD: RANDOM,
      GOOGLE_APPLICATION_CREDENTIALS: "/home/me/key.json",
      GOOGLE_CLOUD_PROJECT: "my-project-12345",
      HTTPS_PROXY: "http://me:swordfish5@proxy:3128",
      UNSET: undefined,
    }),
  ).toEqual(["swordfish", "swordfish2", "swordfish3", RANDOM, "swordfish5"]);
});

it("a URL without a password has no secret", () => {
  expect(secretsOfUrl("postgres://localhost/app")).toEqual([]);
  expect(secretsOfUrl("postgres://somebody@localhost/app")).toEqual([]);
  expect(secretsOfUrl("postgres://postgres:postgres@localhost/app")).toEqual([]);
  expect(secretsOfUrl(`https://${RANDOM}@example.com/`)).toEqual([RANDOM]);
  expect(secretsOfUrl("not a URL")).toEqual([]);
});
