import type { Provider, ProvidersReply } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { agentChoiceOf } from "./agent-choice.ts";

const provider = (name: string, installed = true): Provider => ({
  name,
  title: name.toUpperCase(),
  installed,
  command: [name],
  install: null,
  login: null,
  loginStatus: { state: "unknown", label: null },
  loginMethods: [],
  canLogOut: false,
  version: null,
  models: [],
  modes: [],
  options: [],
  commands: [],
  capabilities: null,
});
const providers: ProvidersReply = {
  providers: [provider("demo"), provider("gemini"), provider("codex", false)],
  defaultProvider: "demo",
};
const NOTHING = { provider: null, model: null };
const choose = (more: Partial<Parameters<typeof agentChoiceOf>[0]>) => {
  const choice = agentChoiceOf({
    session: { next: NOTHING },
    chosen: NOTHING,
    last: null,
    providers,
    ...more,
  });
  return choice === null ? null : [choice.provider, choice.model, choice.note];
};

it("C2, ruling 18: without a choice the agent is the server's next one, or the default", () => {
  expect(choose({})).toEqual(["demo", null, null]);
  expect(choose({ session: { next: { provider: "gemini", model: "pro" } } })).toEqual([
    "gemini",
    "pro",
    null,
  ]);
  expect(choose({ providers: null })).toBeNull();
});

it("a change of provider is noted and does not keep the model (C2)", () => {
  expect(
    choose({
      session: { next: { provider: "gemini", model: "pro" } },
      chosen: { provider: "demo", model: null },
    }),
  ).toEqual(["demo", null, "Switches from GEMINI to DEMO, which gets the earlier messages"]);
});

it("C2, ruling 18: a session continues with its last agent, even if the default has changed", () => {
  const last = { provider: "gemini", model: "pro" };
  expect(choose({ session: { next: last }, last })).toEqual(["gemini", "pro", null]);
});

it("changes are noted relative to the last agent", () => {
  const last = { provider: "gemini", model: "pro" };
  expect(choose({ session: { next: { provider: "demo", model: null } }, last })).toEqual([
    "demo",
    null,
    "Switches from GEMINI to DEMO, which gets the earlier messages",
  ]);
  expect(choose({ last, chosen: { provider: "gemini", model: null } })).toEqual([
    "gemini",
    "pro",
    null,
  ]);
  expect(choose({ last, chosen: { provider: "gemini", model: "flash" } })).toEqual([
    "gemini",
    "flash",
    "Switches from pro to flash",
  ]);
});

it("a provider that is not installed is noted", () => {
  expect(choose({ chosen: { provider: "codex", model: null } })).toEqual([
    "codex",
    null,
    "CODEX is not installed",
  ]);
});
