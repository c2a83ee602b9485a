import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Handover } from "./handover.ts";
import type { Outcome } from "./outcome.ts";
import type { RealAgent } from "./real-agents.ts";
import type { Scenario } from "./scenario.ts";
import type { ApartRow } from "./worktrees.ts";

const PAGE = path.resolve(import.meta.dirname, "../../docs/agents.md");
const BEGIN = "<!-- results: written by npm run test:agents -->";
const BEGIN_SANDBOXED =
  "<!-- results in the sandbox: written by npm run test:agents -- --sandbox -->";
const END = "<!-- end of results -->";

export interface Results {
  readonly agents: readonly RealAgent[];
  readonly scenarios: readonly Scenario[];
  outcomeOf(agent: string, scenario: string): Outcome | null;
  readonly handovers: readonly Handover[];
  readonly apart: readonly ApartRow[];
}

export function tablesOf({ agents, scenarios, outcomeOf, handovers, apart }: Results): string {
  const rows = agents.map((agent) => [
    `${agent.name} ${agent.version}`,
    ...scenarios.map(({ name }) => cell(outcomeOf(agent.name, name))),
  ]);
  const tables = [table(["agent", ...scenarios.map(({ title }) => title)], rows)];
  if (handovers.length > 0) tables.push(matrix(agents, handovers));
  if (apart.length > 0) tables.push(apartTable(apart));
  return tables.join("\n\n");
}

/** Replaces the tables that an earlier run of the same kind wrote into the page. */
export function writePage(
  tables: string,
  { isSandboxed }: { readonly isSandboxed: boolean },
): void {
  const page = readFileSync(PAGE, "utf8");
  const begin = isSandboxed ? BEGIN_SANDBOXED : BEGIN;
  const start = page.indexOf(begin);
  const end = page.indexOf(END, start);
  if (start < 0 || end < 0) throw new Error(`${PAGE} has no section for results`);
  writeFileSync(PAGE, `${page.slice(0, start)}${begin}\n\n${tables}\n\n${page.slice(end)}`);
}

function matrix(agents: readonly RealAgent[], handovers: readonly Handover[]): string {
  const names = agents.map(({ name }) => name);
  const rows = names.map((from) => [
    from,
    ...names.map((to) => {
      const handover = handovers.find((each) => each.from === from && each.to === to);
      return from === to ? "" : cell(handover?.outcome ?? null);
    }),
  ]);
  return table(["from ↓ to →", ...names], rows);
}

function apartTable(rows: readonly ApartRow[]): string {
  const count = (name: "sessions" | "runs" | "files" | "crossed"): number =>
    rows.reduce((sum, row) => sum + row[name], 0);
  const all = {
    agent: "all at once",
    sessions: count("sessions"),
    runs: count("runs"),
    files: count("files"),
    crossed: count("crossed"),
  };
  return table(
    ["worktrees of one repository", "sessions", "runs", "files written", "files crossed"],
    [...rows, all].map(({ agent, sessions, runs, files, crossed }) =>
      [agent, sessions, runs, files, crossed].map(String),
    ),
  );
}

function cell(outcome: Outcome | null): string {
  if (outcome === null) return "";
  switch (outcome.status) {
    case "passed":
      return outcome.note === "" ? "✓" : `✓ ${outcome.note}`;
    case "failed":
      return "✗";
    case "skipped":
      return `skipped: ${outcome.why}`;
    default:
      return outcome satisfies never;
  }
}

/** A Markdown table, formatted as oxfmt does. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) =>
    Math.max(3, ...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, at) => (cells[at] ?? "").padEnd(width)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)].join("\n");
}
