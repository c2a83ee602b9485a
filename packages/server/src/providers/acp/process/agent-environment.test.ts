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

it("an agent sees what every program needs, what is its own, and nothing else", () => {
  const definition = {
    env: { MINE: "x" },
    passes: ["GEMINI_API_KEY", "HOLDFAST_TOKEN", "MISSING"],
  };
  expect(agentEnvironment({ server, definition, marker, folder: "/repo" })).toEqual({
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

it("what a provider sets wins, but not over the marker", () => {
  const definition = { env: { HOME: "/other", HOLDFAST_AGENT: "forged" }, passes: [] };
  expect(agentEnvironment({ server: { HOME: "/home" }, definition, marker, folder: "/r" })).toEqual(
    {
      HOLDFAST_AGENT: "node:1:uuid",
      PWD: "/r",
      HOME: "/other",
    },
  );
});

it("secrets are what only this provider was given", () => {
  expect(
    secretsOf(server, { env: { A: "one", B: "true" }, passes: ["GEMINI_API_KEY", "MISSING"] }),
  ).toEqual(["one", "gemini-key"]);
});

it("a marker is read as it was written, whatever the owner is called", () => {
  expect(readMarker(writeMarker(marker))).toEqual(marker);
  expect(readMarker("nonsense")).toBeNull();
});
