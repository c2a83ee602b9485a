import path from "node:path";
import type { Command } from "commander";
import { argumentTerms } from "../../packages/server/src/cli/help.ts";
import { fullName } from "../../packages/server/src/cli/failure/wrong-usage.ts";

const SERVER = path.resolve(import.meta.dirname, "../../packages/server");
export const MAN_FOLDER = path.join(SERVER, "man");
export const SERVER_PACKAGE = path.join(SERVER, "package.json");

export interface ManPage {
  /** `holdfast-send.1` */
  readonly file: string;
  /** In roff, for `man`. */
  readonly text: string;
}

/** A page for the program and one for each of its commands, whose subcommands it includes. */
export function manPages(program: Command): readonly ManPage[] {
  const commands = visible(program);
  const others = commands.map((command) => `holdfast-${command.name()}`);
  return [
    page("holdfast", program, { body: overview(program), others }),
    ...commands.map((command) =>
      page(`holdfast-${command.name()}`, command, {
        body: sections(command),
        others: ["holdfast"],
      }),
    ),
  ];
}

function page(
  name: string,
  command: Command,
  { body, others }: { readonly body: readonly string[]; readonly others: readonly string[] },
): ManPage {
  const summary = command.summary() || firstSentence(command.description());
  const lines = [
    // No date: the page changes only with the program.
    `.TH ${name.toUpperCase()} 1 "" "Holdfast" "Holdfast"`,
    ".SH NAME",
    `${escape(name)} \\- ${escape(summary)}`,
    ...body,
    ".SH SEE ALSO",
    others.map((other) => `.BR ${escape(other)} (1)`).join(" ,\n"),
  ];
  return { file: `${name}.1`, text: `${lines.join("\n")}\n` };
}

function overview(program: Command): readonly string[] {
  return [
    ".SH SYNOPSIS",
    ".B holdfast",
    ".I command",
    "[options]",
    ".SH DESCRIPTION",
    escape(program.description()),
    ".SH COMMANDS",
    ...visible(program).flatMap((command) => [
      ".TP",
      `.B ${escape([command.name(), ...argumentTerms(command)].join(" "))}`,
      escape(command.summary()),
    ]),
    ...options(program),
    ...afterHelp(program),
  ];
}

/** The sections of a command, then those of its subcommands under their own headings. */
function sections(command: Command): readonly string[] {
  const children = visible(command);
  return [
    ".SH SYNOPSIS",
    ...[command, ...children].flatMap((each) => [".P", synopsis(each)]),
    ".SH DESCRIPTION",
    escape(command.description()),
    ...options(command),
    ...afterHelp(command),
    ...children.flatMap((child) => [
      `.SH ${escape(fullName(child).toUpperCase())}`,
      escape(child.description()),
      ...options(child).map(asSubsection),
      ...afterHelp(child).map(asSubsection),
    ]),
  ];
}

function synopsis(command: Command): string {
  const hasOptions = command.createHelp().visibleOptions(command).length > 0;
  const words = [...(hasOptions ? ["[options]"] : []), ...argumentTerms(command)];
  return `.B ${escape(fullName(command))}\n${escape(words.join(" "))}`;
}

function options(command: Command): readonly string[] {
  const help = command.createHelp();
  const terms = [
    ...help
      .visibleArguments(command)
      .map((each) => ({ term: help.argumentTerm(each), text: help.argumentDescription(each) })),
    ...help
      .visibleOptions(command)
      .map((each) => ({ term: help.optionTerm(each), text: help.optionDescription(each) })),
  ];
  if (terms.length === 0) return [];
  return [
    ".SH OPTIONS",
    ...terms.flatMap(({ term, text }) => [".TP", `.B ${escape(term)}`, escape(text)]),
  ];
}

/** The texts after the options, such as examples: a title in capitals begins a section. */
function afterHelp(command: Command): readonly string[] {
  const lines = helpOf(command).slice(command.helpInformation().length).split("\n");
  const output: string[] = [];
  let isLiteral = false;
  const setLiteral = (value: boolean): void => {
    if (value !== isLiteral) output.push(value ? ".nf" : ".fi");
    isLiteral = value;
  };
  for (const line of lines) {
    const title = /^([A-Z ]+):$/u.exec(line)?.[1];
    if (title !== undefined) {
      setLiteral(false);
      output.push(`.SH ${title}`);
    } else if (line.trim() === "") {
      setLiteral(false);
    } else if (line.startsWith("  ")) {
      setLiteral(true);
      output.push(escape(line.slice(2)));
    } else {
      output.push(".P", escape(line));
    }
  }
  setLiteral(false);
  return output;
}

function helpOf(command: Command): string {
  let text = "";
  const { writeOut } = command.configureOutput();
  command.configureOutput({ writeOut: (piece) => void (text += piece) });
  command.outputHelp();
  command.configureOutput({ writeOut: writeOut ?? ((piece) => void process.stdout.write(piece)) });
  return text;
}

function asSubsection(line: string): string {
  return line.replace(/^\.SH /u, ".SS ");
}

function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function firstSentence(text: string): string {
  return text.replace(/\. .*$|\.$/su, "");
}

/** A backslash, a hyphen, and a dot or quote at the beginning of a line mean something in roff. */
function escape(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gmu, "\\&$1");
}
