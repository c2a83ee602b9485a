import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { markdownTable, type Report } from "./report.ts";

const DOCS = path.resolve(import.meta.dirname, "../docs");
const PAGE = path.join(DOCS, "performance.md");

const END = "<!-- end -->";

/** Writes the tables of a part between its markers, and its images. Everything else stays unchanged. */
export function writeDocs(name: string, report: Report): void {
  writeFileSync(PAGE, replacePart(readFileSync(PAGE, "utf8"), { name, report }));
  for (const [file, image] of Object.entries(report.images ?? {})) {
    writeFileSync(path.join(DOCS, "images", file), image);
  }
}

function replacePart(
  page: string,
  { name, report }: { readonly name: string; readonly report: Report },
): string {
  const begin = `<!-- begin: written by \`npm run bench -- --only ${name} --docs\` -->`;
  const [before, rest] = page.split(begin);
  const end = rest?.indexOf(END) ?? -1;
  if (before === undefined || rest === undefined || end === -1) return page;
  const body = [...report.tables.map(markdownTable), ...report.notes].join("\n\n");
  return `${before}${begin}\n\n${body}\n\n${rest.slice(end)}`;
}
