import { parseSync, type Rolldown } from "vite";
import { isOutermost, usesIn, type Use } from "./names-in.ts";

/**
 * Loads a file of the program, or a module of Node, when something in it is used for the first time. Otherwise a command
 * would load everything that its imports could ever need. A constant that is made with another file, such as a schema, is
 * created when it is used for the first time. The names of both become functions, and their uses calls:
 *
 *     const require_zod = require("./zod.js");    let require_zod$; const require_zod = () => require_zod$ ??= require("./zod.js");
 *     const nameSchema = require_zod.string();    let nameSchema$; const nameSchema = () => nameSchema$ ??= (require_zod()).string();
 *     nameSchema.parse(value);                    (nameSchema()).parse(value);
 */
export const LAZY_LOADING: Rolldown.Plugin = {
  name: "lazy-loading",
  renderChunk: (code, chunk) => withLazyNames(code, chunk),
};

type Chunk = Pick<Rolldown.RenderedChunk, "fileName" | "isEntry" | "moduleIds">;

const LIBRARY = /node_modules/u;
const ZOD = "require_zod";

const REQUIRED = /^(?:const|let) (?<name>[\w$]+) = require\("[^"]+"\);$/u;
/** Follows a module of Node, if its default export is used. */
const ADAPTED = /^(?<name>[\w$]+) = (?<adapter>[\w$]+)\.__toESM\(\k<name>, 1\);$/u;
const CONSTANT = /^(?:const|var) (?<name>[\w$]+) = (?!function|class|async|\(|[\w$]+ =>)/u;
const EXPORTED = /^exports\.(?<as>[\w$]+) = (?<name>[\w$]+)[\w$.]*;$/u;

interface Statement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly uses: readonly Use[];
}

export function withLazyNames(code: string, { fileName, isEntry, moduleIds }: Chunk): string {
  // An entry acts while it is loaded, and the constants of libraries may have other effects than their value.
  const isOurs = !isEntry && moduleIds.every((id) => !LIBRARY.test(id));
  const makesLazy = (required: string): boolean => isOurs || required === ZOD;
  const { program } = parseSync(fileName, code, { sourceType: "commonjs" });
  const uses = usesIn(program).filter(isOutermost(program));
  const statements = program.body.map(({ start, end }): Statement => ({
    start,
    end,
    text: code.slice(start, end),
    uses: uses.filter((use) => use.start >= start && use.end <= end),
  }));
  const required = statements.flatMap(({ text }) => nameIn(text, REQUIRED) ?? []);
  const made = madeWith(required.filter(makesLazy), statements);
  const constants = statements.flatMap(({ text }) => nameIn(text, CONSTANT) ?? []);
  const lazy = new Set([...required, ...constants.filter((name) => made.has(name))]);
  const adapters = new Map(
    statements.flatMap(({ text }) => {
      const { name = "", adapter = "" } = ADAPTED.exec(text)?.groups ?? {};
      return lazy.has(name) ? [[name, adapter]] : [];
    }),
  );

  const render = (statement: Statement): string => {
    const { text } = statement;
    const value = (): string =>
      withCalls(statement, lazy, text.indexOf("=") + 1).replace(/;$/u, "");
    const declared = nameIn(text, REQUIRED) ?? nameIn(text, CONSTANT);
    if (declared !== null && lazy.has(declared)) {
      const adapter = adapters.get(declared);
      const adapted = adapter === undefined ? value() : `(${adapter}()).__toESM(${value()}, 1)`;
      return `let ${declared}$; const ${declared} = () => ${declared}$ ??= ${adapted};`;
    }
    if (adapters.has(nameIn(text, ADAPTED) ?? "")) return "";
    const { as, name = "" } = EXPORTED.exec(text)?.groups ?? {};
    return lazy.has(name)
      ? `Object.defineProperty(exports, "${as}", { enumerable: true, get: () => ${value()} });`
      : withCalls(statement, lazy);
  };
  const gaps = statements.map(({ start }, index) =>
    code.slice(statements[index - 1]?.end ?? 0, start),
  );
  return statements.map((statement, index) => gaps[index] + render(statement)).join("");
}

function nameIn(statement: string, form: RegExp): string | null {
  return form.exec(statement)?.groups?.["name"] ?? null;
}

/** The names of statements that use one of these names, or a name of such a statement. */
function madeWith(names: readonly string[], statements: readonly Statement[]): ReadonlySet<string> {
  const made = new Set(names);
  const declarations = statements.flatMap(({ text, uses }) => {
    const name = nameIn(text, /^(?:const|var|function|class) (?<name>[\w$]+)/u);
    return name === null ? [] : [{ name, uses }];
  });
  for (let before = -1; before < made.size;) {
    before = made.size;
    for (const { name, uses } of declarations)
      if (uses.some((use) => made.has(use.name))) made.add(name);
  }
  return made;
}

/** In parentheses, because `new a().B()` would create an `a`. */
function withCalls({ text, start, uses }: Statement, lazy: ReadonlySet<string>, from = 0): string {
  let result = "";
  let at = from;
  for (const { name, isShorthand, ...use } of uses) {
    if (!lazy.has(name) || use.start - start < from) continue;
    result += text.slice(at, use.start - start) + (isShorthand ? `${name}: ` : "") + `(${name}())`;
    at = use.end - start;
  }
  return result + text.slice(at);
}
