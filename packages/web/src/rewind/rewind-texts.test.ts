import type { RewindReply } from "@holdfast/protocol";
import { expect, it } from "vitest";
import { filePlanOf, keptNews, keptText, newsOf, runsText } from "./rewind-texts.ts";

type File = RewindReply["files"][number];
const file = (path: string, change: File["change"]): File => ({
  path,
  change,
  from: null,
  added: 1,
  deleted: 0,
  modeBefore: null,
  modeAfter: null,
});

it("D7 a dry run says which files are restored, removed and kept", () => {
  const files = [file("a", "added"), file("b", "deleted"), file("c", "modified")];
  const kept = [{ path: "d", reason: "ignored" as const }];
  const plan = filePlanOf({ files, kept });
  expect([plan.restored, plan.removed].map((each) => each.map(({ path }) => path))).toEqual([
    ["a", "c"],
    ["b"],
  ]);
  expect([plan.kept, plan.hasOthers]).toEqual([kept, false]);
});

it("D7 overwriting is offered only for what others changed", () => {
  const kept = [{ path: "d", reason: "edited_since" as const }];
  expect(filePlanOf({ files: [], kept }).hasOthers).toBe(true);
  expect(kept.map(keptText)).toEqual(["somebody else has changed it since"]);
  expect([keptNews({ kept }), keptNews({ kept: [] })]).toEqual(["1 file stays as it is.", null]);
});

it("D7 says how many messages leave the conversation", () => {
  expect([0, 1, 2].map(runsText)).toEqual([
    "No message leaves the conversation.",
    "1 message and its answer leave the conversation:",
    "2 messages and their answers leave the conversation:",
  ]);
});

it("D7 the last rewind can be undone once, when its files are restored", () => {
  const rewind = { id: "w", run: "r", undoes: null, status: "done", error: null } as const;
  expect(
    [
      null,
      rewind,
      { ...rewind, undoes: "v" },
      { ...rewind, status: "restoring" as const },
      { ...rewind, status: "failed" as const, error: "No space." },
    ].map((each) => newsOf({ rewind: each })),
  ).toEqual([
    null,
    { news: "done", rewindId: "w" },
    null,
    { news: "restoring" },
    { news: "failed", error: "No space." },
  ]);
});
