import { describe, expect, it } from "vitest";
import { createClient, type Client } from "./index.ts";
import { bodyOf, openTestServer } from "./testing/test-server.ts";

const CHANGES = {
  available: true,
  reason: null,
  isLive: false,
  counts: { files: 1, added: 2, deleted: 0 },
  files: [
    {
      path: "a",
      change: "added",
      from: null,
      added: 2,
      deleted: 0,
      modeBefore: null,
      modeAfter: "100644",
      by: "session",
    },
  ],
  isCut: false,
  tooLarge: 0,
};

interface Route {
  readonly ask: (client: Client) => Promise<unknown>;
  readonly request: string;
  readonly body?: unknown;
  readonly reply: unknown;
}

const ROUTES: readonly Route[] = [
  {
    ask: ({ sessions }) => sessions.changes("s", { run: "last" }),
    request: "GET /api/sessions/s/changes?run=last",
    reply: CHANGES,
  },
  {
    ask: ({ sessions }) => sessions.fileDiff("s", { path: "a b", since: "r" }),
    request: "GET /api/sessions/s/changes/file?path=a+b&since=r",
    reply: { path: "a b", patch: "diff", isCut: false },
  },
  {
    ask: ({ sessions }) => sessions.rewind("s", { run: "r", dryRun: true }),
    request: "POST /api/sessions/s/rewind",
    body: { run: "r", dryRun: true },
    reply: { rewind: null, runs: ["r"], files: [], kept: [{ path: "a", reason: "ignored" }] },
  },
  {
    ask: ({ sessions }) => sessions.branch("s"),
    request: "GET /api/sessions/s/branch",
    reply: {
      folder: "/work/shop",
      branch: "holdfast/try",
      into: "main",
      isClean: false,
      changedFiles: 2,
      ahead: 1,
      behind: null,
      suggestedMessage: "Try",
      canPush: false,
      canOpenPullRequest: false,
      pullRequest: null,
    },
  },
  {
    ask: ({ sessions }) => sessions.commit("s"),
    request: "POST /api/sessions/s/commit",
    body: {},
    reply: { commit: "abc", files: 2, message: "Try" },
  },
  {
    ask: ({ sessions }) => sessions.merge("s", { into: "main" }),
    request: "POST /api/sessions/s/merge",
    body: { into: "main" },
    reply: { how: "fast_forward", commit: "abc", into: "main" },
  },
  {
    ask: ({ sessions }) => sessions.rebase("s"),
    request: "POST /api/sessions/s/rebase",
    body: {},
    reply: { commit: "abc", replayed: 1, onto: "main" },
  },
  {
    ask: ({ sessions }) => sessions.push("s"),
    request: "POST /api/sessions/s/push",
    body: {},
    reply: { branch: "holdfast/try", commit: "abc" },
  },
  {
    ask: ({ sessions }) => sessions.pullRequest("s", { title: "Try" }),
    request: "POST /api/sessions/s/pull-request",
    body: { title: "Try" },
    reply: { url: "https://example.com/pull/7" },
  },
];

describe("the client", () => {
  it.each(ROUTES)("asks $request and takes the reply", async ({ ask, request, body, reply }) => {
    const asked: unknown[] = [];
    const server = await openTestServer(async (incoming, response) => {
      const text = await bodyOf(incoming);
      const sent: unknown = text === "" ? undefined : JSON.parse(text);
      asked.push([`${incoming.method} ${incoming.url}`, sent]);
      response.end(JSON.stringify(reply));
    });
    try {
      expect(await ask(createClient({ url: server.url }))).toEqual(reply);
      expect(asked).toEqual([[request, body]]);
    } finally {
      await server.close();
    }
  });

  it("gives the patch in pieces as they arrive", async () => {
    const server = await openTestServer(async (incoming, response) => {
      response.write(`${incoming.url}\n`);
      response.end("+one\n");
    });
    try {
      const { sessions } = createClient({ url: server.url });
      let patch = "";
      for await (const piece of sessions.patch("s", { since: "r" })) patch += piece;
      expect(patch).toBe("/api/sessions/s/changes/patch?since=r\n+one\n");
    } finally {
      await server.close();
    }
  });
});
