import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  fail,
  say,
  think,
  tool,
  update,
} from "../../packages/server/src/providers/testing/script.ts";
import { openPageRig, type PageRig } from "./page-rig.ts";
import { transcriptOf } from "./transcript-page.ts";

const MARKDOWN = [
  `<script>globalThis.ran="script"</script>`,
  `<img src=x onerror="globalThis.ran='img'">`,
  `<iframe src="javascript:parent.ran='iframe'"></iframe>`,
  `[press](javascript:globalThis.ran='link') [data](data:text/html,<script>1</script>) [fine](https://example.com/)`,
  `![picture](https://example.com/track.png)`,
  `<a href="javascript:globalThis.ran='a'" onmouseover="globalThis.ran='over'">here</a>`,
  `<style>*{display:none}</style><base href="https://example.com/"><form action="https://example.com/"><button>go</button></form>`,
  "```html\n<script>globalThis.ran='code'</script>\n```",
  `"><svg/onload=globalThis.ran='svg'>`,
  "[JaVaScRiPt](  JaVaScRiPt:globalThis.ran='case') <javascript:globalThis.ran='auto'>",
];

/** Text that runs code if a page treats it as HTML. Contains the name of its field. */
const hostile = (where: string): string =>
  `<img src=x onerror="globalThis.ran='${where}'"><b>${where}</b>`;

/** A folder name cannot contain a slash. */
const REPO = `<img src=x onerror="globalThis.ran=1"><b>repo`;
const TERMINAL = "terminal-1";

let rig: PageRig;
beforeAll(async () => {
  rig = await openPageRig();
  mkdirSync(path.join(rig.root, REPO, ".git"), { recursive: true });
});
afterEach(() => rig.clear());
afterAll(() => rig.close());

describe("text from an agent or a user", () => {
  it("is shown unchanged and runs nothing", async () => {
    const { id } = await rig.newSession({
      title: hostile("title"),
      steps: [say(MARKDOWN.join("\n\n")), say("the end of it")],
    });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length >= 2);
    const page = await rig.open(`/sessions/${id}`);
    const transcript = transcriptOf(page);
    await transcript.getByText("the end of it").last().waitFor();
    for (const text of [`<script>globalThis.ran="script"</script>`, `<iframe src=`]) {
      await transcript.getByText(text).first().waitFor();
    }
    const links = await transcript
      .getByRole("link")
      .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).protocol));
    expect(new Set(links)).toEqual(new Set([new URL(rig.url).protocol, "https:"]));
    expect(await inserted(page)).toEqual([]);
  });

  it("is text in every field of the transcript: thoughts, plans, tools, paths, changes, terminals, errors", async () => {
    const { id } = await rig.newSession({
      title: hostile("title"),
      repo: REPO,
      steps: [
        think(hostile("thought")),
        update({
          sessionUpdate: "plan",
          entries: [{ content: hostile("plan"), priority: "high", status: "pending" }],
        }),
        tool({
          id: "t1",
          title: hostile("tool"),
          kind: "execute",
          input: { command: hostile("command") },
          output: hostile("output"),
          ends: "failed",
        }),
        update({
          sessionUpdate: "tool_call",
          toolCallId: "t2",
          title: "Edit",
          kind: "edit",
          status: "failed",
          content: [
            {
              type: "diff",
              path: `/elsewhere/${hostile("path")}`,
              oldText: hostile("before"),
              newText: hostile("after"),
            },
            { type: "terminal", terminalId: TERMINAL },
          ],
          _meta: {
            terminal_output: { terminal_id: TERMINAL, data: `\u001B[31m${hostile("terminal")}` },
            terminal_exit: { terminal_id: TERMINAL, exit_code: 1 },
          },
        }),
        update({
          sessionUpdate: "tool_call",
          toolCallId: "t3",
          title: "Look",
          kind: "search",
          status: "failed",
          locations: [{ path: `/elsewhere/${hostile("place")}` }],
        }),
        say("said it all"),
        fail({ code: -32_603, message: hostile("error") }),
      ],
    });
    await rig.until(id, ({ state, messages }) => state === "idle" && messages.length > 5);
    const page = await rig.open(`/sessions/${id}`);
    const transcript = transcriptOf(page);
    await transcript.getByText("said it all", { exact: true }).waitFor();
    await page.getByRole("heading", { name: hostile("title") }).waitFor();
    await page.getByRole("button", { name: REPO }).waitFor();
    await transcript
      .getByRole("button", { name: /thought/iu })
      .first()
      .click();
    const where = "thought,plan,tool,command,output,place,path,before,after,terminal,error";
    for (const name of where.split(",")) {
      await transcript.getByText(hostile(name)).first().waitFor();
    }
    expect(await inserted(page)).toEqual([]);
  });

  it("is text in permission requests, in the inbox, in the list and in the palette", async () => {
    const steps = [
      ask({
        id: "t",
        title: hostile("asked"),
        input: { command: hostile("command"), [hostile("name")]: hostile("value") },
        options: [{ optionId: "yes", name: hostile("option"), kind: "allow_once" }],
      }),
    ];
    const { id } = await rig.newSession({ title: hostile("title"), repo: REPO, steps });
    await rig.until(id, ({ state }) => state === "suspended");
    const page = await rig.open(`/sessions/${id}`);
    for (const address of [`/sessions/${id}`, "/inbox"]) {
      await page.goto(address);
      const card = page.locator("[data-approval]");
      for (const name of ["asked", "command", "name", "value", "option"]) {
        await card.getByText(hostile(name)).first().waitFor();
      }
      expect(await inserted(page)).toEqual([]);
    }
    await page.getByText(hostile("title")).first().waitFor();

    await page.goto("/");
    await page.getByRole("link", { name: hostile("title") }).waitFor();
    await page.getByRole("listitem").getByText(REPO).waitFor();
    await page.getByRole("listitem").getByText(hostile("command")).waitFor();
    expect(await inserted(page)).toEqual([]);
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: hostile("title") }).waitFor();
    expect(await inserted(page)).toEqual([]);
    await page.goto("/settings");
    await page.getByText(REPO).first().waitFor();
    expect(await inserted(page)).toEqual([]);
  });

  it("could not run even if it were inserted: the page's policy forbids it", async () => {
    const page = await rig.open("/settings", { expected: /Content Security Policy|401/u });
    await page.getByRole("heading", { name: "Settings" }).waitFor();
    const ran = await page.evaluate(async () => {
      const image = document.createElement("div");
      image.innerHTML = `<img src="x" onerror="globalThis.ran = 'handler'">`;
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = 'inline'";
      // The inline handler, if it could run, would run before this listener.
      const failed = new Promise((resolve) =>
        image.querySelector("img")?.addEventListener("error", resolve),
      );
      document.body.append(image, script);
      await failed;
      const reached = await fetch("https://example.com/").then(
        () => "reached",
        () => "refused",
      );
      return [Reflect.get(globalThis, "ran") ?? "nothing", reached];
    });
    expect(ran).toEqual(["nothing", "refused"]);
  });
});

/** Hostile text that became an element, or that ran. */
function inserted(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const forbidden =
      "script:not([src]),iframe,object,embed,style,base,form[action],[onerror],[onload],[onmouseover]";
    const elements = [...document.body.querySelectorAll(`${forbidden},b`)].map(
      ({ outerHTML }) => outerHTML,
    );
    return "ran" in globalThis
      ? [...elements, `ran: ${String(Reflect.get(globalThis, "ran"))}`]
      : elements;
  });
}
