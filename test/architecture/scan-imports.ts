import { parseSync, Visitor } from "vite";

/** The modules that a source file imports in any form. `null` stands for a computed name. */
export function scanImports(path: string, source: string): readonly (string | null)[] {
  const { module, program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`);
  const names: (string | null)[] = [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports
      .flatMap((statement) => statement.entries)
      .flatMap((entry) => (entry.moduleRequest ? [entry.moduleRequest.value] : [])),
  ];
  new Visitor({
    ImportExpression: ({ source: target }) => void names.push(literal(target)),
    TSImportType: ({ source: target }) => void names.push(target.value),
  }).visit(program);
  return [...new Set(names)];
}

function literal(node: { readonly type: string; readonly value?: unknown }): string | null {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}
