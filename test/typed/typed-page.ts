import { codeBlocksIn, SHELLS } from "./code-blocks.ts";
import { until, type TypedShell } from "./typed-shell.ts";

/** What to do with a command of a page, if it is not simply typed and must succeed. */
export type Treatment =
  /** The output that matters. `prepare` is typed before; the page takes it for granted. */
  | {
      readonly shows: RegExp;
      readonly prepare?: string;
      /** Instead of the answer to a question, which only a terminal asks. */
      readonly adds?: string;
    }
  /** What it needs may come a moment later: it is typed again until it succeeds. */
  | { readonly again: true }
  /** It does not end by itself; it is ended when this was shown. */
  | { readonly until: RegExp }
  /** It goes on, in a terminal of its own, while the next commands are typed. */
  | { readonly besides: RegExp }
  /** Another command that does the same to this server only. `once`, `leadsTo`: what is shown before and after it, by any command. */
  | { readonly instead: string; readonly once?: RegExp; readonly leadsTo?: RegExp }
  /** Why it is left out. */
  | { readonly notTyped: string };

/** A page whose commands are typed, one after the other, in one shell. */
export interface TypedPage {
  readonly page: string;
  /** Programs that a reader needs. */
  readonly needs?: readonly string[];
  /** The page starts its server itself, in a clone. */
  readonly isInClone?: true;
  /** Makes what the page takes for granted. */
  readonly before?: string;
  /** By the beginning of the command. */
  readonly treatments?: Readonly<Record<string, Treatment>>;
}

/** Types all commands of the page. Returns what went otherwise than the page and the table say. */
export async function typePage(
  { page, before, treatments = {} }: TypedPage,
  { shell, literal }: { readonly shell: TypedShell; readonly literal: (command: string) => string },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const unused = new Set(Object.keys(treatments));
  if (before !== undefined) {
    const { code, screen } = await shell.type(literal(before));
    if (code !== 0) return [`${page}: the preparation failed: ${screen}`];
  }
  for (const { line, language, commands } of codeBlocksIn(page)) {
    if (!SHELLS.has(language)) continue;
    for (const command of commands) {
      const beginning = Object.keys(treatments).find((each) => command.startsWith(each));
      if (beginning !== undefined) unused.delete(beginning);
      const treatment = beginning === undefined ? { shows: /^/u } : treatments[beginning];
      const error = await typeOne(shell, literal(command), treatment ?? { shows: /^/u });
      if (error !== null) wrong.push(`${page}:${line}: ${command}\n${error}`);
    }
  }
  return [
    ...wrong,
    ...[...unused].map((each) => `${page} has no command that begins with: ${each}`),
  ];
}

async function typeOne(
  shell: TypedShell,
  command: string,
  treatment: Treatment,
): Promise<string | null> {
  if ("notTyped" in treatment) return null;
  if ("again" in treatment) {
    await until(async () => (await shell.type(command)).code === 0);
    return null;
  }
  if ("until" in treatment) {
    await shell.typeUntil(command, treatment.until);
    return null;
  }
  if ("besides" in treatment) {
    await shell.typeBesides(command, treatment.besides);
    return null;
  }
  if ("instead" in treatment) {
    const { instead, once = /^/u, leadsTo = /^/u } = treatment;
    await shell.untilShown(once);
    const error = await typeOne(shell, instead, { shows: /^/u });
    if (error === null) await shell.untilShown(leadsTo);
    return error;
  }
  const { shows, prepare = ":", adds = "" } = treatment;
  const prepared = await shell.type(prepare);
  if (prepared.code !== 0) return `${prepare} fails: ${prepared.screen}`;
  const { code, screen } = await shell.type(withMore(command, adds));
  if (code !== 0) return `exit code ${code}\n${screen}`;
  return shows.test(screen) ? null : `does not show ${shows}\n${screen}`;
}

/** Before the comment. */
function withMore(command: string, more: string): string {
  return more === "" ? command : command.replace(/( +#.*)?$/u, ` ${more}$1`);
}
