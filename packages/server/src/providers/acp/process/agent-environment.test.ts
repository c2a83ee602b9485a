import { expect, it } from "vitest";
import { agentEnvironment, readMarker, secretsOf, writeMarker } from "./agent-environment.ts";

const server = {
  PATH: "/bin",
  HOME: "/home/me",
  LANG: "C.UTF-8",
  LC_ALL: "C",
  XDG_CONFIG_HOME: "/home/me/.config",
  HTTPS_PROXY: "http://proxy",
  NODE_EXTRA_CA_CERTS: "/ca.pem",
  PWD: "/server",
  IS_SANDBOX: "1",
  NODE_OPTIONS: "--inspect",
  GEMINI_API_KEY: "gemini-key",
  ANTHROPIC_API_KEY: "anthropic-key",
  HOLDFAST_TOKEN: "token",
  HOLDFAST_AGENT: "outer:1",
  HOLDFAST_DATA: "/data",
  UNSET: undefined,
};
const marker = { owner: "node:1", agent: "uuid" };

it("an agent gets the common variables and its own, and no others", () => {
  const definition = {
    env: { MINE: "x" },
    passes: ["GEMINI_API_KEY", "HOLDFAST_TOKEN", "MISSING"],
  };
  expect(agentEnvironment(server, definition, marker, "/repo")).toEqual({
    HOLDFAST_AGENT: "node:1:uuid",
    PATH: "/bin",
    HOME: "/home/me",
    LANG: "C.UTF-8",
    LC_ALL: "C",
    XDG_CONFIG_HOME: "/home/me/.config",
    HTTPS_PROXY: "http://proxy",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    GEMINI_API_KEY: "gemini-key",
    PWD: "/repo",
    MINE: "x",
  });
});

it("a provider's variables override the others, but not the marker", () => {
  const definition = { env: { HOME: "/other", HOLDFAST_AGENT: "forged" }, passes: [] };
  expect(agentEnvironment({ HOME: "/home" }, definition, marker, "/r")).toEqual({
    HOLDFAST_AGENT: "node:1:uuid",
    PWD: "/r",
    HOME: "/other",
  });
});

it("the secrets of an agent are in its own variables and in those it inherits", () => {
  const environment = { ...server, HTTPS_PROXY: "http://me:pass-word@proxy" };
  const env = { A: "one-value", B: "true", HOLDFAST_AGENT: "forged-marker" };
  expect(secretsOf(environment, { env, passes: ["GEMINI_API_KEY", "MISSING"] })).toEqual([
    "one-value",
    "pass-word",
    "gemini-key",
  ]);
});

it("readMarker returns what writeMarker wrote, for any name of the owner", () => {
  expect(readMarker(writeMarker(marker))).toEqual(marker);
  expect(readMarker("nonsense")).toBeNull();
});
