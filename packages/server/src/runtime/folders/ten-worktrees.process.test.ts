import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { userGit } from "../../git/testing/new-repository.ts";
import { rawFiles } from "../../git/testing/raw-files.ts";
import { refsOf, userStateOf } from "../../git/testing/user-state.ts";
import { script, shell, wait, waitFor, write, type Step } from "../../providers/testing/script.ts";
import { ok, TestRuntime } from "../testing/test-runtime.ts";

const SESSIONS = 10;
const RUNS = 3;
const COMMITTED = { "a.txt": "a\n", "gone.txt": "gone\n".repeat(20), "kept.txt": "kept\n" };

let test: TestRuntime;
beforeEach(async () => {
  test = await TestRuntime.open({
    files: COMMITTED,
    worktrees: {},
    limits: { liveAgents: SESSIONS },
  });
});
afterEach(() => test.close());

/** Null: the file is removed. */
type Edits = Readonly<Record<string, string | null>>;

/** Most names are the same in all sessions, and no content is. */
function editsOf(session: number, run: number): Edits {
  const text = (name: string): string => `session ${session}, run ${run}, ${name}\n`;
  return {
    "a.txt": text("a"),
    "same.txt": text("same"),
    "folder/same.txt": text("folder"),
    [`own-${session}/run-${run}.txt`]: text("own"),
    ...(run === 0 && { "passing.txt": text("passing") }),
    ...(run === 1 && { "gone.txt": null }),
    ...(run === 2 && { "passing.txt": null }),
  };
}

/** The files of a session after so many runs. */
function filesAfter(session: number, runs: number): Readonly<Record<string, string>> {
  const files = new Map<string, string>(Object.entries(COMMITTED));
  for (let run = 0; run < runs; run += 1)
    for (const [name, text] of Object.entries(editsOf(session, run)))
      if (text === null) files.delete(name);
      else files.set(name, text);
  return Object.fromEntries(files);
}

function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .toSorted()
    .map((name) => {
      if (before[name] === undefined) return `added ${name} session`;
      return `${after[name] === undefined ? "deleted" : "modified"} ${name} session`;
    });
}

/** The edits in any order, with any pauses, by the agent itself or by a command. Some agents commit. */
function stepsOf(session: number, run: number): readonly Step[] {
  const edits = Object.entries(editsOf(session, run)).map(([name, text]): Step => {
    if (text === null) return shell(`rm ${name}`);
    const folder = name.includes("/") ? `mkdir -p ${name.replace(/\/[^/]*$/u, "")} && ` : "";
    const isCommand = folder !== "" || randomInt(2) === 0;
    return isCommand ? shell(`${folder}printf '${text}' > ${name}`) : write(name, text);
  });
  const steps = edits
    .map((step) => ({ step, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .flatMap(({ step }) => [wait(randomInt(20)), step]);
  const commits = session % 2 === 0 && run === 1;
  return [
    ...(run === 0 ? [waitFor(go())] : []),
    ...steps,
    ...(commits ? [shell(`git add --all && ${COMMIT}`)] : []),
  ];
}

/** The file that the agents wait for, so that all of them are at work at once. */
const go = (): string => path.join(test.folder, "go");

const COMMIT = "git -c user.name=Agent -c user.email=a@b commit --quiet --message work";

const filesIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...rawFiles(folder).all()].map(([name, content]) => [name, content.replace(":", "")]),
  );

const worktreeOf = async (id: string): Promise<{ readonly folder: string; branch: string }> => {
  const { session } = await test.read(id);
  const { worktree } = session.workspace;
  if (worktree === null) throw new Error("the session has no worktree");
  return { folder: worktree.folder, branch: worktree.branch };
};

/** Half of the sessions send each message when the answer to the one before is complete, the others send all at once. */
async function work(id: string, session: number): Promise<readonly string[]> {
  const runs: string[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const sent = await test.send(id, script(...stepsOf(session, run)));
    runs.push(sent.run.id);
    if (session % 4 < 2) await test.idle(id);
  }
  await test.idle(id);
  return runs;
}

const short = async (id: string, run?: string): Promise<readonly string[]> => {
  const range = run === undefined ? {} : { run };
  const { files } = ok(await test.runtime.readChanges({ sessionId: id, ...range }));
  return files.map((file) => `${file.change} ${file.path} ${file.by}`);
};

describe("ten sessions of one repository at once, each with a worktree", () => {
  it("have no file of each other, and leave the repository alone (D7)", async () => {
    const before = userStateOf(test.repoPath);
    const ids: string[] = [];
    for (let at = 0; at < SESSIONS; at += 1)
      ids.push(await test.createSession({ workspace: { kind: "worktree", base: null } }));
    const working = Promise.all(ids.map((id, at) => work(id, at)));
    await expect.poll(async () => (await test.runtime.measure()).liveAgents).toBe(SESSIONS);
    writeFileSync(go(), "");
    const runs = await working;
    const worktrees = await Promise.all(ids.map(worktreeOf));
    const folders = worktrees.map(({ folder }) => folder);

    for (const run of runs.flat())
      expect(await test.store.readRun(run)).toMatchObject({ status: "completed", error: null });
    expect(folders.map(filesIn)).toEqual(ids.map((_, at) => filesAfter(at, RUNS)));
    for (const [at, id] of ids.entries()) {
      expect(await short(id)).toEqual(changesBetween(COMMITTED, filesAfter(at, RUNS)));
      for (const [run, runId] of (runs[at] ?? []).entries()) {
        const changes = changesBetween(filesAfter(at, run), filesAfter(at, run + 1));
        expect(await short(id, runId)).toEqual(changes);
      }
    }
    const branches = folders.map((folder) => userGit(folder, "branch", "--show-current").trim());
    expect(branches).toEqual(worktrees.map(({ branch }) => branch));
    expect(new Set(branches).size).toBe(SESSIONS);
    expect(userStateOf(test.repoPath)).toEqual(before);
    expect(userGit(test.repoPath, "fsck", "--full", "--no-dangling")).toBe("");
    expect(test.logged.filter(({ level }) => level !== "info")).toEqual([]);

    const rewound = randomInt(SESSIONS);
    const others = ids.filter((_, at) => at !== rewound);
    const refs = (): readonly string[] => [
      ...refsOf(test.repoPath, "refs/heads"),
      ...others.flatMap((id) => refsOf(test.repoPath, `refs/holdfast/${id}`)),
    ];
    const refsBefore = refs();
    const { rewind } = ok(
      await test.runtime.rewind({
        sessionId: ids[rewound] ?? "",
        to: { run: runs[rewound]?.[1] ?? "" },
        files: true,
        conversation: true,
        force: false,
        dryRun: false,
      }),
    );
    expect(rewind).toMatchObject({ status: "done", error: null });
    const left = ids.map((_, at) => filesAfter(at, at === rewound ? 1 : RUNS));
    expect(folders.map(filesIn)).toEqual(left);
    expect(refs()).toEqual(refsBefore);
    expect(userStateOf(test.repoPath)).toEqual(before);
  });
});
