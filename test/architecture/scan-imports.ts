import { parseSync, Visitor } from "vite";

/** The modules that a source file names, in any form; `null` stands for one whose name is computed. */
export function scanImports(path: string, source: string): readonly (string | null)[] {
  const { module, program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const found: (string | null)[] = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports
      .flatMap((statement) => statement.entries)
      .flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
  ];
  new Visitor({
    ImportExpression: ({ source: name }) => void found.push(literal(name)),
    TSImportType: ({ source: name }) => void found.push(name.value),
  }).visit(program);
  return [...new Set(found)];
}

function literal(node: { readonly type: string; readonly value?: unknown }): string | null {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}
