import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { program } from "../../packages/server/src/cli/program.ts";
import { MAN_FOLDER, manPages, SERVER_PACKAGE } from "./man-pages.ts";

describe("the manual pages", () => {
  it("are current; `npm run man` writes them", async () => {
    const pages = manPages(await program([]));
    expect(readdirSync(MAN_FOLDER).toSorted()).toEqual(pages.map(({ file }) => file).toSorted());
    for (const { file, text } of pages)
      expect(readFileSync(path.join(MAN_FOLDER, file), "utf8"), file).toBe(text);
  });

  it("are part of the package", async () => {
    const { man, files } = JSON.parse(readFileSync(SERVER_PACKAGE, "utf8"));
    expect(man.toSorted()).toEqual(
      readdirSync(MAN_FOLDER)
        .map((file) => `man/${file}`)
        .toSorted(),
    );
    expect(files).toContain("man");
  });

  it("have no line that roff would take for a command by accident", async () => {
    const requests = /^\.(?:TH|SH|SS|TP|P|B|BR|I|nf|fi)(?: |$)/u;
    for (const { text } of manPages(await program([])))
      for (const line of text.split("\n")) if (/^[.']/u.test(line)) expect(line).toMatch(requests);
  });
});
