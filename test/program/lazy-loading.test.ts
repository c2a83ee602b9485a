import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { withLazyNames } from "../../packages/server/build/lazy-loading.ts";

const ours = { fileName: "ours.js", isEntry: false, moduleIds: ["/src/ours.ts"] };
const library = { ...ours, moduleIds: ["/node_modules/library/index.js"] };

describe("the program loads a file", () => {
  it("when something in it is used for the first time, and once", () => {
    const { exports, loaded } = run(`
      const require_zod = require("./zod.js");
      let node_path = require("node:path");
      node_path = require_runtime.__toESM(node_path, 1);
      const require_runtime = require("./runtime.js");
      function check(value) { return require_zod.parse(value) + node_path.default; }
      exports.check = check;
      exports.Again = require_zod.Again;
    `);
    expect(loaded).toEqual([]);
    expect([exports["check"]?.(1), exports["check"]?.(2)]).toEqual(["1path", "2path"]);
    expect(loaded).toEqual(["./zod.js", "./runtime.js", "node:path"]);
    expect(exports["Again"]).toBe("again");
  });

  it("also to create something that it exports", () => {
    const { exports } = run(`
      const require_zod = require("./zod.js");
      function create() { return new require_zod.Schema("new"); }
      exports.create = create;
    `);
    expect(exports["create"]?.()).toEqual({ name: "new" });
  });
});

describe("a constant that is made with another file", () => {
  const code = `
    const require_zod = require("./zod.js");
    const named = (name) => new require_zod.Schema(name);
    const schema = named("schema");
    const both = { schema, other: schema.name, own: 2 };
    function use(schema) { const own = schema; return [schema, own, both.schema.name]; }
    function inBlock() { { const schema = 1; if (schema !== 1) return schema; } return schema.name; }
    exports.use = use;
    exports.inBlock = inBlock;
    exports.schema = schema;
    Object.defineProperty(exports, "both", { enumerable: true, get: function() { return both; } });
  `;

  it("is created when it is used, once, and keeps its identity", () => {
    const { exports, loaded } = run(code);
    expect(loaded).toEqual([]);
    expect(exports["schema"]).toEqual({ name: "schema" });
    expect(exports["both"]).toEqual({ schema: { name: "schema" }, other: "schema", own: 2 });
    expect(Reflect.get(Object(exports["both"]), "schema")).toBe(exports["schema"]);
  });

  it("is not mistaken for a parameter or a variable of the same name", () => {
    const { exports } = run(code);
    expect(exports["use"]?.("mine")).toEqual(["mine", "mine", "schema"]);
    expect(exports["inBlock"]?.()).toBe("schema");
  });

  it("is created at once in a library, unless it is a schema", () => {
    const source = `
      const require_other = require("./other.js");
      const require_zod = require("./zod.js");
      const made = require_other.make();
      const schema = new require_zod.Schema("late");
      exports.schema = schema;
    `;
    expect(run(source, library).loaded).toEqual(["./other.js"]);
    expect(run(source).loaded).toEqual([]);
  });
});

type Exported = Record<string, ((...values: readonly unknown[]) => unknown) | undefined>;

function run(
  code: string,
  chunk = ours,
): { readonly exports: Exported; readonly loaded: string[] } {
  const loaded: string[] = [];
  const files: Record<string, object> = {
    "./zod.js": {
      parse: String,
      Again: "again",
      Schema: class Schema {
        readonly name: string;
        constructor(name: string) {
          this.name = name;
        }
      },
    },
    "./other.js": { make: () => 1 },
    "./runtime.js": { __toESM: (module: object) => ({ default: "path", ...module }) },
    "node:path": {},
  };
  const exports: Exported = {};
  const load = (name: string): object => {
    loaded.push(name);
    return files[name] ?? {};
  };
  runInNewContext(withLazyNames(code.replaceAll(/^\s+/gmu, ""), chunk), { exports, require: load });
  return { exports, loaded };
}
