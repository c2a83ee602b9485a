import type { Command } from "commander";
import { expect, it } from "vitest";
import { program } from "../../packages/server/src/cli/program.ts";
import { codeBlocksIn, pagesOfUsers, textOf } from "./code-blocks.ts";

it.each(pagesOfUsers())("%s names only commands and options that exist", async (page) => {
  const holdfast = await program([]);
  expect(commandsNamedIn(page).filter((words) => !isKnown(holdfast, words))).toEqual([]);
});

/** In the text, in code, and in the first column of tables. */
function commandsNamedIn(page: string): readonly string[] {
  const inText = [...textOf(page).matchAll(/`(holdfast [^`\n]+)`/gu)].map(
    ([, words = ""]) => words,
  );
  const typed = codeBlocksIn(page)
    .flatMap(({ commands }) => commands)
    .flatMap((command) => [...command.matchAll(/(?:^|\$\(|\| )(holdfast [^|)#]+)/gmu)])
    .map(([, words = ""]) => words);
  return [...inText, ...typed].map((words) => words.replaceAll(/"[^"]*"|'[^']*'/gu, "TEXT"));
}

/** The words up to the first that is no command name one, and its options exist. */
function isKnown(holdfast: Command, words: string): boolean {
  const [, ...rest] = words.trim().split(/[\s,]+/u);
  let command = holdfast;
  const options: string[] = [];
  for (const word of rest) {
    if (word.startsWith("-")) options.push(word.replace(/=.*$/u, ""));
    const next = command.commands.find(
      (each) => each.name() === word || each.aliases().includes(word),
    );
    if (next !== undefined) command = next;
    else if (command === holdfast && /^[a-z][a-z-]*$/u.test(word)) return false;
  }
  const known = [...command.options, ...holdfast.options].flatMap(({ long, short }) => [
    long,
    short,
  ]);
  return options.every((option) => option === "--help" || known.includes(option));
}
