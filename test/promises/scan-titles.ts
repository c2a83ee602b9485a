import { parseSync, Visitor, type ESTree } from "vite";

/** The titles of tests and groups in a source file, except those marked as skipped or to do. */
export function scanTitles(path: string, source: string): readonly string[] {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const titles: string[] = [];
  new Visitor({
    CallExpression(call) {
      const [title] = call.arguments;
      if (title !== undefined && declaresTest(call.callee)) titles.push(...textOf(title));
    },
  }).visit(program);
  return titles;
}

/** `it`, `test.only`, `describe.each(rows)`, …, but not `it.skip` and `it.todo`. */
function declaresTest(callee: ESTree.Expression): boolean {
  switch (callee.type) {
    case "Identifier":
      return ["it", "test", "describe"].includes(callee.name);
    case "MemberExpression": {
      const name = callee.property.type === "Identifier" ? callee.property.name : "";
      return !["skip", "todo"].includes(name) && declaresTest(callee.object);
    }
    case "CallExpression":
      return declaresTest(callee.callee);
    default:
      return false;
  }
}

function textOf(node: ESTree.Argument): readonly string[] {
  if (node.type === "Literal" && typeof node.value === "string") return [node.value];
  if (node.type !== "TemplateLiteral") return [];
  return [node.quasis.map(({ value }) => value.cooked ?? "").join(" ")];
}
