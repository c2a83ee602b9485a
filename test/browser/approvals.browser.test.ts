import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  askAll,
  elicit,
  say,
  script,
  update,
} from "../../packages/server/src/providers/testing/script.ts";
import { newRepository } from "../../packages/server/src/git/testing/new-repository.ts";
import { repeat } from "../../packages/server/src/domain/testing/repeat.ts";
import { eventually } from "./eventually.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import {
  askForChange,
  askForCommand,
  cardOf,
  optionOf,
  OPTIONS,
  untilKeysAnswer,
  untilReady,
} from "./requests-page.ts";
import { isInReach, transcriptOf } from "./transcript-page.ts";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

const COMMAND = `kubectl --context production delete deployment ${"very-long-name-".repeat(20)}end --now # loss 5%`;
/** Several screens full, even on a wide screen. */
const LINES = repeat({ short: 40, long: 120 });
const NAME = { type: "object", properties: { name: { type: "string", title: "Name" } } };
const isSuspended = { state: "suspended" };

describe("a permission", () => {
  it("is one card at its tool call, with the whole command once and the agent's own options (C3, C9)", async () => {
    const id = await askForCommand(rig, { command: COMMAND });
    const page = await rig.open(`/sessions/${id}`);
    await cardOf(page).waitFor();
    expect(await page.locator("[data-approval]").count()).toBe(1);
    expect(await transcriptOf(page).locator("[data-approval]").count()).toBe(1);
    const command = cardOf(page).getByText(COMMAND);
    expect(await command.count()).toBe(1);
    await command.scrollIntoViewIfNeeded();
    const cut = await command.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    expect(cut).toBeLessThanOrEqual(0);
    const names = await optionOf(page, "").allTextContents();
    expect(names).toEqual([
      "1Allow once",
      "2Always allow this command in this sessionThe agent’s words: Always allow",
      "3Do not",
    ]);
    expect(await focusedText(page)).not.toContain("llow");
    for (const name of ["Allow once", "Always allow", "Do not"])
      expect(await isInReach(optionOf(page, name))).toBe(true);
    await page.getByLabel("Message to the agent").fill("and afterwards");
    expect(await isInReach(page.getByLabel("Message to the agent"))).toBe(true);
    expect(await isInReach(page.getByRole("button", { name: "Queue", exact: true }))).toBe(true);
  });

  it("for a change says file and lines, shows one diff, and folds the raw input (C3)", async () => {
    const id = await askForChange(rig, { lines: 3 });
    const page = await rig.open(`/sessions/${id}`);
    const card = cardOf(page, "Edit main.ts +3 −3");
    await card.getByText("line 2 after", { exact: true }).waitFor();
    expect(
      await transcriptOf(page)
        .locator("[data-row]")
        .getByText("line 2 after", { exact: true })
        .count(),
    ).toBe(1);
    await card.getByText("Always allow edits of src/main.ts in this session").waitFor();
    expect(await card.getByText("old_string").isVisible()).toBe(false);
    await card.getByText("Raw input").click();
    await card.getByText("old_string").waitFor();
  });

  it("for a command reads as a sentence, and renders the backticks of an agent (C3)", async () => {
    const { id } = await rig.newSession({
      steps: [
        askAll(
          { id: "a", title: "`npm test`", kind: "execute", input: { command: "npm test" } },
          { id: "b", title: "Count `a.ts`", kind: "execute", input: { command: "wc -l a.ts" } },
        ),
      ],
    });
    await rig.until(id, ({ suspensions }) => suspensions.length === 2);
    const page = await rig.open(`/sessions/${id}`);
    await cardOf(page, "Run npm test").waitFor();
    await cardOf(page, "Count a.ts").getByText("wc -l a.ts").waitFor();
    await page.getByText("2 requests need you").waitFor();
  });

  it("for a file outside of the repository carries a warning (C3)", async () => {
    const away = await askForChange(rig, { lines: 2, file: "/etc/holdfast-example.conf" });
    const page = await rig.open(`/sessions/${away}`);
    await page.getByText("Outside the repository: /etc/holdfast-example.conf").waitFor();
    const inside = await askForChange(rig, { lines: 2 });
    await page.goto(`/sessions/${inside}`);
    await cardOf(page, "Edit main.ts").waitFor();
    expect(await page.getByText("Outside the").count()).toBe(0);
  });

  it("for a file outside of the worktree of its session carries a warning, also in the inbox (C3)", async () => {
    const folder = path.join(rig.root, "trees");
    newRepository(folder, { "a.ts": "one\n" });
    const { id: repoId } = await rig.client.repos.add({ path: "trees" });
    const edit = (file: string): string =>
      script(ask({ id: "t", title: "Edit `a.ts`", kind: "edit", input: { file_path: file } }));
    const started = await rig.client.sessions.create({
      repoId,
      provider: "scripted",
      workspace: "worktree",
      message: edit(path.join(folder, "a.ts")),
    });
    const { worktree } = await rig.until(started.id, ({ state }) => state === "suspended");
    const page = await rig.open(`/sessions/${started.id}`);
    const card = cardOf(page, "Edit a.ts");
    await card.getByText(`Outside this session’s worktree: ${folder}/a.ts`).waitFor();
    expect(await card.getByText("`").count()).toBe(0);
    await page.goto("/inbox");
    await card.getByText(`Outside this session’s worktree: ${folder}/a.ts`).waitFor();

    const next = async (file: string): Promise<void> => {
      await rig.client.sessions.send(started.id, { text: edit(file), delivery: "interrupt" });
      await rig.until(
        started.id,
        ({ suspensions: [open] }) =>
          JSON.stringify(open?.request["input"])?.includes(file) === true,
      );
      await page.goto(`/sessions/${started.id}`);
    };
    await next("/etc/holdfast-example.conf");
    await page.getByText("Outside the repository: /etc/holdfast-example.conf").waitFor();
    await next(path.join(worktree?.path ?? "", "b.ts"));
    await page.locator("[data-approval]").getByText("b.ts").first().waitFor();
    expect(await page.getByText(/^Outside /u).count()).toBe(0);
  });

  it.each([
    ["1", "yes"],
    ["2", "ever"],
    ["3", "no"],
  ])("is answered by the key %s with %s, whatever the agent's order (C3)", async (key, answer) => {
    const id = await askForCommand(rig);
    const page = await rig.open(`/sessions/${id}`);
    await untilReady(page);
    await page.keyboard.press(key);
    await transcriptOf(page).getByText(`answer: ${answer}`).waitFor();
  });

  it("for a long change is rejected at once, and allowed after it was read (C3)", async () => {
    const id = await askForChange(rig, { lines: LINES });
    const page = await rig.open(`/sessions/${id}`);
    const card = cardOf(page, "Edit main.ts");
    await card.getByText("src/main.ts", { exact: true }).waitFor();
    const more = page.getByRole("button", { name: /^Review \d+ more lines to allow/u });
    await more.waitFor();
    expect(await isInReach(more)).toBe(true);
    await untilReady(page, "Do not");
    expect(await optionOf(page, "Allow once").getAttribute("aria-disabled")).toBe("true");
    await optionOf(page, "Allow once").dispatchEvent("click");
    expect(await rig.client.sessions.get(id)).toMatchObject(isSuspended);
    for (let press = 0; press < 60 && (await more.count()) > 0; press += 1) {
      await more.click();
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
    await card.getByText(`line ${LINES - 1} after`, { exact: true }).waitFor();
    await untilReady(page);
    await page.keyboard.press("1");
    await transcriptOf(page).getByText("answer: yes").waitFor();
  });

  it("that is not read to its end scrolls on by its key, and is not allowed by it (C3)", async () => {
    const id = await askForChange(rig, { lines: LINES });
    const page = await rig.open(`/sessions/${id}`);
    const request = cardOf(page, "Edit main.ts").getByRole("group", { name: "Request" });
    const more = page.getByRole("button", { name: /^Review \d+ more lines to allow/u });
    await more.waitFor();
    await untilReady(page, "Do not");
    await page.keyboard.press("1");
    await eventually(() => request.evaluate(({ scrollTop }) => scrollTop > 0)).toBe(true);
    await eventually(() => page.locator("[aria-live=polite]").textContent()).toMatch(
      /^Review \d+ more lines to allow/u,
    );
    expect(await rig.client.sessions.get(id)).toMatchObject(isSuspended);
  });

  it.each([
    ["near the screen", "A line.\n\n".repeat(200)],
    ["far from the screen", "A line that is longer.\n\n".repeat(400)],
  ])(
    "that is scrolled away, %s, is shown by its key before it can be answered (C3)",
    async (_, text) => {
      const { id } = await rig.newSession({
        steps: [say(text), ask({ id: "t", title: "Push it", kind: "execute" })],
      });
      await rig.until(id, ({ state }) => state === "suspended");
      const page = await rig.open(`/sessions/${id}`);
      const scrollAway = async (): Promise<void> => {
        await untilReady(page, "Allow");
        await transcriptOf(page).evaluate((list) => list.scrollTo({ top: 0 }));
        await eventually(() => isShown(page)).toBe(false);
      };
      await scrollAway();
      await page.keyboard.press("1");
      await eventually(() => isShown(page)).toBe(true);
      expect(await rig.client.sessions.get(id)).toMatchObject(isSuspended);

      await scrollAway();
      await page.getByText("1 request needs you").waitFor();
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await eventually(() =>
        page.evaluate(() => document.activeElement?.hasAttribute("data-approval") ?? false),
      ).toBe(true);
      expect(await isShown(page)).toBe(true);
      await untilReady(page, "Allow");
      await page.keyboard.press("1");
      await transcriptOf(page).getByText("answer: allow").waitFor();
    },
  );

  it("for a form is at its tool call, too (C3, D1)", async () => {
    const { id } = await rig.newSession({
      steps: [
        update({
          sessionUpdate: "tool_call",
          toolCallId: "q",
          title: "Ask the user",
          kind: "other",
          status: "in_progress",
        }),
        elicit({ mode: "form", message: "Your name?", toolCallId: "q", requestedSchema: NAME }),
      ],
    });
    await rig.until(id, ({ state }) => state === "suspended");
    const page = await rig.open(`/sessions/${id}`);
    const card = transcriptOf(page).locator("[data-approval]");
    await card.getByLabel("Name").fill("Ada");
    expect(await page.locator("[data-approval]").count()).toBe(1);
    await eventually(() =>
      card.getByRole("button", { name: "Decline" }).getAttribute("aria-disabled"),
    ).toBe("false");
    await card.getByRole("button", { name: "Send answer" }).click();
    await transcriptOf(page)
      .getByText(/^elicited: .*Ada/u)
      .waitFor();
  });

  it("without a tool call in the transcript is answered above the message box (C3)", async () => {
    const { id } = await rig.newSession({ title: "Quiet at first" });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByLabel("Message to the agent").waitFor();
    await rig.client.sessions.send(id, {
      text: `@elicit ${JSON.stringify({
        params: { mode: "form", message: "Your name?", requestedSchema: NAME },
      })}`,
    });
    await cardOf(page, "Your name?").waitFor();
    expect(await transcriptOf(page).locator("[data-approval]").count()).toBe(0);
  });

  it("ignores a click or key press in the moment in which it appears", async () => {
    const id = await askForCommand(rig);
    const page = await rig.open("/settings");
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    // Clicks and presses a key as soon as the card appears.
    const early = await page.evaluate(
      (address) =>
        new Promise<string>((resolve) => {
          const observer = new MutationObserver(() => {
            const buttons = [...document.querySelectorAll<HTMLElement>("[data-approval] button")];
            const allow = buttons.find(({ textContent }) => textContent.includes("Allow once"));
            if (allow === undefined) return;
            observer.disconnect();
            allow.click();
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "1", bubbles: true }));
            resolve(allow.getAttribute("aria-disabled") ?? "");
          });
          observer.observe(document.body, { childList: true, subtree: true });
          history.pushState(null, "", address);
          dispatchEvent(new PopStateEvent("popstate"));
        }),
      `/sessions/${id}`,
    );
    expect(early).toBe("true");
    expect(await rig.client.sessions.get(id)).toMatchObject(isSuspended);
    await untilReady(page);
    expect(await rig.client.sessions.get(id)).toMatchObject(isSuspended);
    await optionOf(page, "Allow once").click();
    await transcriptOf(page).getByText("answer: yes").waitFor();
    await cardOf(page).waitFor({ state: "detached" });
  });

  it("is answered with a key, and rejected by Escape only from inside its card", async () => {
    const first = await askForCommand(rig);
    const page = await rig.open(`/sessions/${first}`);
    await untilKeysAnswer(page);
    await page.keyboard.press("Escape");
    expect(await rig.client.sessions.get(first)).toMatchObject(isSuspended);
    await page.keyboard.press("1");
    await transcriptOf(page).getByText("answer: yes").waitFor();

    const second = await askForCommand(rig);
    await page.goto(`/sessions/${second}`);
    await untilReady(page, "Do not");
    await cardOf(page).focus();
    await page.keyboard.press("Escape");
    await transcriptOf(page).getByText("answer: no").waitFor();
  });

  it.each([
    ["1", "allows once", "yes"],
    ["2", "allows always", "ever"],
    ["3", "rejects", "no"],
  ])("%s %s, in whatever order the agent names its options (C3)", async (key, _, answer) => {
    const page = await rig.open(`/sessions/${await askForCommand(rig)}`);
    await untilKeysAnswer(page);
    await page.keyboard.press(key);
    await transcriptOf(page).getByText(`answer: ${answer}`).waitFor();
  });

  it("is answered once: a second tab is told so (C3)", async () => {
    const id = await askForCommand(rig);
    const one = await rig.open(`/sessions/${id}`);
    const two = await rig.open("/settings", { beside: one, expected: /409|ERR_FAILED/u });
    // The second tab does not learn of the first answer before it gives its own.
    await two.route("**/events**", (route) => route.abort());
    await two.goto(`/sessions/${id}`);
    for (const page of [one, two]) {
      await untilReady(page, "Do not");
    }
    await optionOf(one, "Allow once").click();
    await transcriptOf(one).getByText("answer: yes").waitFor();
    await optionOf(two, "Do not").click();
    await cardOf(two).getByText("Already answered differently elsewhere.").waitFor();
    await eventually(() => optionOf(two, "Do not").count()).toBe(0);
    const { messages } = await rig.client.sessions.get(id);
    expect(JSON.stringify(messages)).not.toContain("answer: no");
  });

  it("survives a kill of the server and is answered afterwards (C3)", async () => {
    const id = await askForCommand(rig);
    const page = await rig.open(`/sessions/${id}`, { expected: /ERR_|Failed to load/u });
    await cardOf(page).waitFor();
    await page.getByRole("button", { name: "More", exact: true, disabled: false }).waitFor();
    await rig.stop("SIGKILL");
    await page.getByText(/^Reconnecting\./u).waitFor();
    await rig.start();
    await page.getByText(/^Reconnecting\./u).waitFor({ state: "detached" });
    await untilReady(page);
    await optionOf(page, "Allow once").click();
    await cardOf(page).waitFor({ state: "detached" });
    await rig.until(id, ({ state }) => state === "idle");
    await page.getByText("1 request needs you").waitFor({ state: "detached" });
  });

  it("announces requests to screen readers politely, and does not announce the transcript", async () => {
    const { id } = await rig.newSession({ title: "Quiet at first" });
    const page = await rig.open(`/sessions/${id}`);
    await page.getByLabel("Message to the agent").waitFor();
    expect(await page.locator("[aria-live=polite]").count()).toBe(1);
    await rig.client.sessions.send(id, {
      text: `@ask ${JSON.stringify({ id: "t", title: "Push it", kind: "execute", options: OPTIONS })}`,
    });
    await cardOf(page, "Push it").waitFor();
    await eventually(() => page.locator("[aria-live=polite]").textContent()).toContain(
      "Permission needed",
    );
    expect(await transcriptOf(page).getAttribute("aria-live")).toBe("off");
  });
});

function focusedText(page: Page): Promise<string> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLButtonElement ? document.activeElement.textContent : "",
  );
}

/** Whether a card is on the screen. */
function isShown(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const box = document.querySelector("[data-approval]")?.getBoundingClientRect();
    return box !== undefined && box.bottom > 0 && box.top < innerHeight;
  });
}
