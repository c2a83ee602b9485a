import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type {
  FakeAnswer,
  Speech,
} from "../../packages/server/src/providers/testing/fake-models/decide-answer.ts";
import type {
  FakeCall,
  ModelRequest,
} from "../../packages/server/src/providers/testing/fake-models/model-request.ts";

/** What the model says and calls, one entry for each of its turns; or it never answers, or refuses. */
type Story =
  | readonly { readonly says: string; readonly calls?: readonly FakeCall[] }[]
  | "hang"
  | "fail";

export const WISHES = {
  why: "The webhook tests fail now and then. Find out why.",
  mend: "Good. Mend it, and keep the tests fast.",
  explain: "How does an order become a webhook?",
  notes: "Write the release notes of 2.4 into CHANGELOG.md.",
  upgrade: "Upgrade the database driver, and tell me what breaks.",
  rename: "Rename `custId` to `customerId` everywhere.",
} as const;

const RETRY = `/** Sends a webhook again until it arrives. */
export async function withRetry(send, { attempts = 5, waitMs = 200, sleep }) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(waitMs);
    }
  }
}
`;

const RETRY_TEST = `import assert from "node:assert/strict";
import test from "node:test";
import { withRetry } from "../src/retry.js";

test("sends once if it arrives", async () => {
  let sent = 0;
  await withRetry(async () => (sent += 1), { sleep: async () => {} });
  assert.equal(sent, 1);
});

test("gives up after five attempts", async () => {
  let sent = 0;
  const fails = async () => {
    sent += 1;
    throw new Error("503");
  };
  await assert.rejects(withRetry(fails, { sleep: async () => {} }), /503/);
  assert.equal(sent, 5);
});

test("does not send all webhooks at the same moment", async () => {
  const waits = [];
  const fails = async () => {
    throw new Error("503");
  };
  await assert.rejects(withRetry(fails, { sleep: async (ms) => void waits.push(ms) }));
  assert.notEqual(waits[0], waits[1]);
});
`;

/** A small repository with a test that fails. */
export function writeRepository(folder: string): void {
  const files = {
    "package.json": `${JSON.stringify({ name: path.basename(folder), type: "module" }, null, 2)}\n`,
    "src/retry.js": RETRY,
    "test/retry.test.js": RETRY_TEST,
    "CHANGELOG.md": "# Changes\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=Ana", "-c", "user.email=ana@example.com", ...args], {
      cwd: folder,
      stdio: "ignore",
    });
  git("init", "--initial-branch=main");
  git("add", ".");
  git("commit", "--message=Webhooks with retries");
}

/** A model that follows the stories of the messages, so that real agents do real work in the repository. */
export function createModel(folder: string): (asked: ModelRequest) => FakeAnswer {
  const stories = storiesIn(folder);
  return ({ said, tools }) => {
    const at = said.findLastIndex(
      ({ by, text }) => by === "user" && storyOf(stories, text) !== null,
    );
    const story = storyOf(stories, said[at]?.text ?? "");
    // Agents also ask for titles and the like, without tools.
    if (story === null || tools.length === 0) return speak("Webhooks");
    if (story === "hang") return { does: "hang" };
    if (story === "fail") return { does: "fail", status: 400 };
    const turn = said.slice(at).filter(({ by }) => by === "tool").length;
    const { says, calls = [] } = story[Math.min(turn, story.length - 1)] ?? { says: "Done." };
    return { ...speak(says), calls, stop: calls.length > 0 ? "tool" : "end" };
  };
}

function storyOf(stories: ReadonlyMap<string, Story>, text: string): Story | null {
  return [...stories].find(([wish]) => text.includes(wish))?.[1] ?? null;
}

function storiesIn(folder: string): ReadonlyMap<string, Story> {
  const retry = path.join(folder, "src/retry.js");
  const tests: FakeCall = {
    name: "Bash",
    args: { command: "node --test --test-reporter=spec", description: "Run the tests" },
  };
  return new Map<string, Story>([
    [
      WISHES.why,
      [
        { says: "I run the tests first.", calls: [tests] },
        { says: "", calls: [{ name: "Read", args: { file_path: retry } }] },
        {
          says: [
            "`withRetry` waits the same 200 ms after each failure. When the receiver is down, **all webhooks come back at the same moment**, ",
            "and the receiver refuses them again. That is what the third test shows.\n\n",
            "I would double the wait after each attempt and add some chance to it:\n\n",
            "```js\nconst wait = waitMs * 2 ** (attempt - 1);\nawait sleep(wait / 2 + Math.random() * (wait / 2));\n```\n",
          ].join(""),
        },
      ],
    ],
    [
      WISHES.mend,
      [
        {
          says: "The wait doubles now, and each webhook waits a little differently.",
          calls: [
            {
              name: "Edit",
              args: {
                file_path: retry,
                old_string: "      await sleep(waitMs);\n",
                new_string:
                  "      // Without chance, all webhooks would come back at the same moment.\n      const wait = waitMs * 2 ** (attempt - 1);\n      await sleep(wait / 2 + Math.random() * (wait / 2));\n",
              },
            },
          ],
        },
        { says: "", calls: [tests] },
        { says: "All three tests pass. The tests do not wait: they bring their own `sleep`." },
      ],
    ],
    [
      WISHES.explain,
      [
        {
          says: "An order is written first. A worker reads new orders and sends one webhook for each.",
        },
      ],
    ],
    [WISHES.upgrade, "hang"],
    [WISHES.rename, "fail"],
    [
      WISHES.notes,
      [
        {
          says: "",
          calls: [
            {
              name: "write",
              args: {
                filePath: path.join(folder, "CHANGELOG.md"),
                content:
                  "# Changes\n\n## 2.4\n\n- Webhooks are sent again with growing waits.\n- Orders show who changed them.\n",
              },
            },
          ],
        },
        { says: "The release notes of 2.4 are in CHANGELOG.md." },
      ],
    ],
  ]);
}

function speak(text: string): Speech {
  return {
    does: "speak",
    thought: "",
    pieces: text.match(/[\s\S]{1,12}/gu) ?? [],
    pauseMs: 0,
    calls: [],
    stop: "end",
    isCut: false,
  };
}
