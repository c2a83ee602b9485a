import assert from "node:assert/strict";
import { loginProviderOf } from "../login-providers.ts";
import { Unsupported } from "../outcome.ts";
import type { Scenario } from "../scenario.ts";
import { countOf, openSession, textsOf, userTextsOf } from "../session-driver.ts";

/** The credentials are written as the agent's own login does it, because no service for a real login exists here. */
export const login: Scenario = {
  name: "login",
  title: "waits for a login, goes on after it",
  run: async ({ rig, agent }) => {
    if (agent.login === undefined) throw new Unsupported("it works without a login");
    const provider = loginProviderOf(agent.name);
    const session = await openSession(rig, provider);
    await session.send("PING");
    const { suspensions } = await session.until(
      "a suspension for the login",
      ({ suspension }) => suspension?.kind === "login",
    );
    assert.equal(suspensions[0]?.request["provider"], provider);
    await rig.noAgents();
    await rig.killAll();
    rig.writeLogin(agent);
    await rig.client.logIn(provider);
    const now = await session.until("the end of the run", ({ state }) => state === "idle");
    assert.deepEqual(userTextsOf(now), ["PING"]);
    assert.equal(countOf(textsOf(now), "PONG"), 1, `the agent said ${textsOf(now).join(" | ")}`);
    await session.remove();
    return "";
  },
};
