import assert from "node:assert/strict";
import path from "node:path";
import { newRepository, userGit } from "../../packages/server/src/git/testing/new-repository.ts";
import { rawFiles } from "../../packages/server/src/git/testing/raw-files.ts";
import { refsOf, userStateOf } from "../../packages/server/src/git/testing/user-state.ts";
import type { Run, Worktree } from "../../packages/protocol/src/index.ts";
import type { InstalledAgent } from "./install-agent.ts";
import type { Rig } from "./rig.ts";
import { talkIn, type Talk } from "./session-driver.ts";
import { allowAll } from "./tool-route.ts";

/** What the sessions of one agent did beside the others. */
export interface ApartRow {
  readonly agent: string;
  readonly sessions: number;
  readonly runs: number;
  /** Files that they wrote. */
  readonly files: number;
  /** Files of other sessions that they have, or list as changed. */
  readonly crossed: number;
}

export const APART_SESSIONS = 10;
/** All agents share the cores of this machine. */
const RUN_MS = 200_000;
const COMMITTED: Files = { "read.me": "first\n", "kept.txt": "kept\n" };

type Files = Readonly<Record<string, string>>;

interface Apart {
  readonly number: number;
  readonly agent: string;
  readonly talk: Talk;
}

/**
 * Ten sessions of one repository, each with a worktree, of all agents, at the same time. Most of the files that they
 * write have the same names. Throws if a session has, or lists, anything but its own work, or if the repository changes.
 */
export async function workApart(
  rig: Rig,
  agents: readonly InstalledAgent[],
): Promise<readonly ApartRow[]> {
  const repository = rig.newFolder();
  newRepository(repository.path, COMMITTED);
  const before = userStateOf(repository.path);
  const repo = await rig.client.repos.add({ path: repository.name });
  const sessions: Apart[] = [];
  for (let number = 0; number < APART_SESSIONS; number += 1) {
    const agent = agents[number % agents.length]?.name ?? "";
    const created = await rig.client.sessions.create({
      repoId: repo.id,
      provider: agent,
      workspace: "worktree",
    });
    sessions.push({ number, agent, talk: talkIn(rig, created.id, { runMs: RUN_MS }) });
  }
  const ends = await Promise.allSettled(sessions.map((session) => work(rig, session)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  const results: Result[] = [];
  for (const session of sessions) results.push(await resultOf(rig, session));

  const rows = agents.map(({ name }) => rowOf(name, results));
  assert.deepEqual(
    rows.map(({ crossed }) => crossed),
    rows.map(() => 0),
    `files have crossed: ${JSON.stringify(rows)}`,
  );
  for (const result of results) checkResult(result);
  checkTogether(results);
  assert.equal(new Set(results.map(({ worktree }) => worktree.branch)).size, APART_SESSIONS);
  assert.deepEqual(userStateOf(repository.path), before, "the repository has changed");
  assert.equal(userGit(repository.path, "fsck", "--full", "--no-dangling"), "");

  await checkRewind(rig, { results, repository: repository.path });
  assert.deepEqual(userStateOf(repository.path), before, "a rewind has changed the repository");
  for (const { talk } of sessions) await talk.remove();
  await rig.noAgents();
  return rows;
}

/** The messages of a session. The first one tells where its folder is, which the next ones name. */
async function work(rig: Rig, { number, talk }: Apart): Promise<void> {
  for (const run of RUNS.keys()) {
    const edits = Object.entries(editsOf(number, run));
    const isCommand = RUNS[run] === "command";
    const { path: folder } = isCommand ? { path: "" } : await worktreeOf(rig, talk);
    const lines = isCommand
      ? [`RUN ${edits.map(([name, text]) => `printf '%s' '${text}' > ${name}`).join(" && ")}`]
      : edits.map(([name, text]) => `WRITE ${path.join(folder, name)} "${text}"`);
    for (const line of lines) {
      await talk.send(line);
      await allowAll(talk);
    }
  }
}

/** How each run writes: a command, in the folder in which the agent runs it, or a tool of the agent. */
const RUNS: readonly ("command" | "tool")[] = ["command", "tool", "tool", "command"];

/** What a run writes. No content is the same in two sessions. */
function editsOf(number: number, run: number): Files {
  const text = (name: string): string => `${markOf(number)} wrote ${name} in step ${run + 1}`;
  switch (run) {
    case 0:
      return { "same.txt": text("same"), [`${markOf(number)}.txt`]: text("own") };
    case 1:
      return { "written.txt": text("written") };
    case 2:
      return { [`written-by-${markOf(number)}.txt`]: text("written own") };
    default:
      return { "same.txt": text("same"), "read.me": text("committed") };
  }
}

function markOf(number: number): string {
  return `session-${number}`;
}

function filesAfter(number: number, runs: number): Files {
  const edits = Array.from({ length: runs }, (_, run) => editsOf(number, run));
  return edits.reduce((files, more) => ({ ...files, ...more }), COMMITTED);
}

interface Result extends Apart {
  readonly worktree: Worktree;
  readonly files: Files;
  /** Oldest first. */
  readonly runs: readonly Run[];
  /** What the session has changed, then what each run has. */
  readonly changes: readonly (readonly string[])[];
  readonly faults: readonly string[];
}

async function resultOf(rig: Rig, session: Apart): Promise<Result> {
  const { id } = session.talk;
  const runs = await session.talk.runs();
  const listed = async (run?: string): Promise<readonly string[]> => {
    const { files } = await rig.client.sessions.changes(id, run === undefined ? {} : { run });
    return files.map((file) => `${file.change} ${file.path} ${file.by}`);
  };
  const changes = [await listed()];
  for (const run of runs) changes.push(await listed(run.id));
  const { lastError } = await rig.client.sessions.get(id);
  const worktree = await worktreeOf(rig, session.talk);
  return {
    ...session,
    worktree,
    files: filesIn(worktree.path),
    runs,
    changes,
    faults: [
      ...(lastError === null ? [] : [lastError]),
      ...runs.filter(({ status }) => status !== "completed").map((run) => JSON.stringify(run)),
    ],
  };
}

function checkResult({ number, agent, worktree, files, runs, changes, faults }: Result): void {
  const of = `of ${markOf(number)} (${agent})`;
  const whole = filesAfter(number, RUNS.length);
  assert.deepEqual(faults, [], `faults ${of}`);
  assert.equal(runs.length, RUNS.length, `runs ${of}`);
  assert.deepEqual(files, whole, `files ${of}`);
  assert.deepEqual(
    changes,
    [
      changesBetween(COMMITTED, whole),
      ...RUNS.map((_, run) => changesBetween(filesAfter(number, run), filesAfter(number, run + 1))),
    ],
    `changes ${of}`,
  );
  assert.match(worktree.branch, /^holdfast\//u);
  assert.equal(userGit(worktree.path, "branch", "--show-current").trim(), worktree.branch);
}

/** All sessions were at work before one of them had ended. */
function checkTogether(results: readonly Result[]): void {
  const begun = results.map(({ runs }) => runs.at(0)?.startedAt ?? "never");
  const ended = results.map(({ runs }) => runs.at(-1)?.endedAt ?? "never");
  const [last, first] = [begun.toSorted().at(-1) ?? "", ended.toSorted().at(0) ?? ""];
  assert.ok(last < first, `one session began at ${last}, after another had ended at ${first}`);
}

/** One session goes back to its second run. The others, and their refs, stay as they are. */
async function checkRewind(
  rig: Rig,
  { results, repository }: { readonly results: readonly Result[]; readonly repository: string },
): Promise<void> {
  const [rewound, ...others] = results;
  if (rewound === undefined) throw new Error("unreachable: no sessions");
  const refs = (): readonly string[] => [
    ...refsOf(repository, "refs/heads"),
    ...others.flatMap(({ talk }) => refsOf(repository, `refs/holdfast/${talk.id}`)),
  ];
  const before = refs();
  const { rewind } = await rig.client.sessions.rewind(rewound.talk.id, {
    run: rewound.runs[1]?.id ?? "",
  });
  assert.equal(rewind?.status, "done", rewind?.error ?? "there was no rewind");
  assert.deepEqual(filesIn(rewound.worktree.path), filesAfter(rewound.number, 1));
  for (const { worktree, files, number } of others)
    assert.deepEqual(filesIn(worktree.path), files, `a rewind changed files of ${markOf(number)}`);
  assert.deepEqual(refs(), before, "a rewind has changed refs of other sessions");
}

function rowOf(agent: string, all: readonly Result[]): ApartRow {
  const results = all.filter((result) => result.agent === agent);
  const crossed = results.flatMap(({ number, files, changes }) => {
    const others = all.map((other) => other.number).filter((other) => other !== number);
    const marks = new RegExp(`\\b(?:${others.map(markOf).join("|")})\\b`, "u");
    const texts = Object.entries(files).map(([name, text]) => `${name} ${text}`);
    return [...texts, ...changes.flat()].filter((text) => marks.test(text) || isOfOthers(text));
  });
  return {
    agent,
    sessions: results.length,
    runs: results.flatMap(({ runs }) => runs).length,
    files: results.flatMap(({ number, files }) =>
      Object.keys(files).filter((name) => files[name]?.includes(markOf(number))),
    ).length,
    crossed: crossed.length,
  };
}

/** Whether a change is not listed as the work of the session alone. */
function isOfOthers(change: string): boolean {
  return / (?:others|both)$/u.test(change);
}

function changesBetween(before: Files, after: Files): readonly string[] {
  return Object.keys(after)
    .filter((name) => before[name] !== after[name])
    .toSorted()
    .map((name) => `${before[name] === undefined ? "added" : "modified"} ${name} session`);
}

async function worktreeOf(rig: Rig, { id }: Talk): Promise<Worktree> {
  const { worktree, messages } = await rig.client.sessions.get(id);
  if (worktree === null)
    throw new Error(`the session has no worktree: ${JSON.stringify(messages.at(-1)?.content)}`);
  return worktree;
}

/** Some agents end a file with a line end, others do not. */
function filesIn(folder: string): Files {
  const files = [...rawFiles(folder).all()].map(([name, content]) => {
    const text = content.replace(/^x?:/u, "");
    return [name, COMMITTED[name] === text ? text : text.trimEnd()] as const;
  });
  return Object.fromEntries(files);
}
