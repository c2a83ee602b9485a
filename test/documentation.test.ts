import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./architecture/read-sources.ts";

const pages = [
  ...namesIn(".", /\.md$/),
  ...namesIn("docs", /\.md$/),
  ...namesIn("docs/decisions", /\.md$/),
  ...namesIn("docs/testing", /\.md$/),
  "packages/client/README.md",
];

describe("the documentation", () => {
  it.each(pages)("%s has no broken link", (page) => {
    expect(linksOf(page).filter((link) => !isValidLink(page, link))).toEqual([]);
  });

  it.each(["ARCHITECTURE.md", "GLOSSARY.md", "CONTRIBUTING.md"])(
    "%s names only files and folders that exist",
    (page) => {
      expect(pathsIn(page).filter((name) => !exists(name))).toEqual([]);
    },
  );
});

function namesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(path.join(root, folder))
    .filter((name) => pattern.test(name))
    .map((name) => path.posix.join(folder, name));
}

function linksOf(page: string): readonly string[] {
  const text = withoutCode(read(page));
  return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/gu)]
    .map(([, link, attribute]) => link ?? attribute ?? "")
    .filter((link) => !/^[a-z]+:/u.test(link));
}

function isValidLink(page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file);
  if (!existsSync(path.join(root, target))) return false;
  return anchor === undefined || !target.endsWith(".md") || anchorsOf(target).includes(anchor);
}

function anchorsOf(page: string): readonly string[] {
  return [...withoutCode(read(page)).matchAll(/^#+ (.*)$/gmu)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Names in backticks that look like source paths. */
function pathsIn(page: string): readonly string[] {
  return [...read(page).matchAll(/`([a-z][\w*./-]*\/[\w*./-]+)`/gu)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "session/cancel" && !name.startsWith("test/**"));
}

function exists(name: string): boolean {
  return ["", "packages/server/src/"].some((folder) => {
    const full = path.join(root, folder, name);
    if (!name.includes("*")) return existsSync(full);
    const parent = path.dirname(full);
    const pattern = new RegExp(
      `^${path.basename(name).replaceAll(".", "\\.").replaceAll("*", ".*")}$`,
      "u",
    );
    const isFolder = existsSync(parent) && statSync(parent).isDirectory();
    return isFolder && readdirSync(parent).some((entry) => pattern.test(entry));
  });
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```/gmsu, "");
}

function read(page: string): string {
  return readFileSync(path.join(root, page), "utf8");
}
