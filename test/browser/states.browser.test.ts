import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { comparedSession } from "../../packages/protocol/src/index.ts";
import { ASKED_BY_CLAUDE } from "../../packages/protocol/src/form/testing/real-forms.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import {
  elicit,
  fail,
  say,
  script,
  silent,
  stop,
  tool,
  update,
  write,
  type Step,
} from "../../packages/server/src/providers/testing/script.ts";
import { holdfast } from "../e2e/holdfast-process.ts";
import { faultsOf } from "./page-faults.ts";
import { openPageRig, type OpenOptions, type PageRig } from "./page-rig.ts";
import {
  faultsIn,
  heading,
  listStates,
  sessionStates,
  settingsStates,
  text,
  type State,
} from "./page-states.ts";
import { askForChange } from "./requests-page.ts";
import { transcriptOf } from "./transcript-page.ts";

// The other pages and dialogs are in looks.browser.test.ts.

type Look = readonly [name: string, options: OpenOptions];

const EVERY_DAY: readonly Look[] = [
  ["light, wide", {}],
  ["dark, phone", { phone: true, dark: true }],
];
const OTHERS: readonly Look[] = [
  ["dark, wide", { dark: true }],
  ["light, phone", { phone: true }],
];
const LOOKS = repeat({ short: EVERY_DAY, long: [...EVERY_DAY, ...OTHERS] });
const GUEST = { signIn: false, expected: /40[13] \((Unauthorized|Forbidden)\)/u } as const;

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig({ agents: { second: { title: "Second" } } });
});
afterEach(() => rig.clear({ keepSessions: true }));
afterAll(() => rig.close());

async function open(address: string, options: OpenOptions): Promise<Page> {
  const page = await rig.open(address, options);
  if (options.phone !== true) await page.setViewportSize({ width: 1440, height: 900 });
  return page;
}

describe("a server without sessions", () => {
  const STATES: readonly State[] = [
    ["the empty list", "/", text("No sessions yet")],
    ["the empty inbox", "/inbox", text("Nothing needs you")],
    ["analytics without data", "/analytics", heading("Analytics")],
    [
      "ways to set up an agent",
      "/",
      async (page) => {
        await page.getByText("Set up another agent").click();
        await page.getByRole("button", { name: "Check again" }).waitFor();
      },
    ],
  ];

  it.each(LOOKS)("passes the accessibility rules, with large targets: %s (C9)", async (_, look) => {
    const page = await open("/", look);
    expect(await faultsIn(page, STATES)).toBe("");
  });

  it.each(LOOKS)("as does signing in: %s (C9)", async (_, look) => {
    const page = await open("/", { ...look, ...GUEST });
    await page.getByLabel("Access token").fill("wrong");
    const faults = [...(await faultsOf(page, "sign in"))];
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Wrong token").waitFor();
    faults.push(...(await faultsOf(page, "wrong token")));
    expect(faults.join("\n")).toBe("");
  });
});

describe("a server with sessions in every state", () => {
  const PLAN = [
    { content: "Look around", priority: "high", status: "completed" },
    { content: "Change it", priority: "medium", status: "in_progress" },
  ];
  const WORK: readonly Step[] = [
    update({ sessionUpdate: "plan", entries: PLAN }),
    tool({
      id: "c1",
      title: "`npm test`",
      kind: "execute",
      input: { command: "npm test" },
      output: "\u001B[31mred\u001B[0m\nsecond line",
    }),
    write("values.txt", "one\n2\nthree\n"),
    update({ sessionUpdate: "usage_update", used: 50_000, size: 200_000 }),
    say("All done"),
    stop("end_turn", { inputTokens: 1_200, outputTokens: 300 }),
  ];
  let states: readonly State[];
  let shared: string;

  beforeAll(async () => {
    newRepository(path.join(rig.root, "shop"), { "values.txt": "one\ntwo\nthree\n" });
    await removeOne();
    const made = await makeSessions();
    const { token } = await rig.client.tokens.create({
      name: "l",
      scope: "read",
      sessionId: made.worked,
    });
    shared = `/shared/${made.worked}#${token}`;
    states = [...listStates(), ...sessionStates(made), ...settingsStates()];
  });

  it.each(LOOKS)("passes the accessibility rules, with large targets: %s (C9)", async (_, look) => {
    const page = await open("/", { ...look, expected: /status of 4\d\d/u });
    expect(await faultsIn(page, states)).toBe("");
  });

  it.each(LOOKS)("as does a shared session: %s (C9)", async (_, look) => {
    const page = await open(shared, { ...look, ...GUEST });
    await transcriptOf(page).getByText("All done", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Changes: / }).click();
    await page.getByText("Added: 2").waitFor();
    expect((await faultsOf(page, "a shared session")).join("\n")).toBe("");
  });

  async function removeOne(): Promise<void> {
    await rig.newSession({ title: "Come back" });
    const data = path.join(rig.root, "..", "data");
    await holdfast(["cleanup", "--hours", "0", "--conversations", "--yes", "--data", data]);
  }

  async function makeSessions() {
    const begin = async (title: string, ...steps: readonly Step[]): Promise<string> =>
      (await rig.newSession({ title, steps })).id;
    // The sessions that have ended first: not all agents can work at once.
    const compared = await compare();
    const archived = await begin("Put away", say("All said"));
    await rig.until(archived, ({ lastTurn }) => lastTurn.outcome === "completed");
    await rig.client.sessions.archive(archived);
    const failed = await begin("Broke", say("Trying"), fail({ code: -32_603, message: "no key" }));
    await rig.until(failed, ({ lastTurn }) => lastTurn.outcome === "failed");
    const stopped = await begin("Halted", say("Trying"), silent());
    await rig.until(stopped, ({ state }) => state === "running");
    await rig.client.sessions.cancel(stopped);
    await rig.until(stopped, ({ state }) => state === "idle");
    const { id: worked } = await rig.newSession({ title: "Worked", repo: "shop", steps: WORK });
    await rig.until(worked, ({ state, changes }) => state === "idle" && changes !== null);
    const queued = await begin("Has a queue", say("On it"), silent());
    await rig.until(queued, ({ state }) => state === "running");
    for (const words of ["and then", "and finally"])
      await rig.client.sessions.send(queued, { text: words });
    const form = { mode: "form", message: "Which one?", requestedSchema: ASKED_BY_CLAUDE };
    const made = {
      compared,
      archived,
      failed,
      stopped,
      worked,
      queued,
      fresh: (await rig.newSession({ title: "Fresh" })).id,
      running: await begin("Works", say("On it"), silent()),
      asks: await askForChange(rig, { lines: 3 }),
      form: await begin("Asks with a form", elicit(form)),
    };
    return made;
  }

  async function compare(): Promise<string> {
    const { id: repoId } = await rig.client.repos.add({ path: "shop" });
    const message = script(write("values.txt", "better\n"), say("Done"));
    const ids: string[] = [];
    for (const provider of ["scripted", "second"]) {
      const request = comparedSession({ comparison: "one", repoId, provider, message });
      const { id } = await rig.client.sessions.create(request);
      await rig.client.sessions.send(id, { text: message });
      ids.push(id);
    }
    for (const id of ids)
      await rig.until(id, ({ state, changes }) => state === "idle" && changes !== null);
    return ids.join(",");
  }
});
