import { Visitor, type ESTree } from "vite";

/** An identifier, but not the name of a property. */
export interface Use {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** In `{ name }`. */
  readonly isShorthand: boolean;
}

type Place = Pick<ESTree.Span, "start" | "end">;

/** In the order of the code. */
export function usesIn(program: ESTree.Program): readonly Use[] {
  const identifiers = new Map<number, Omit<Use, "isShorthand">>();
  const properties: Place[] = [];
  const shorthands = new Set<number>();
  const property = (isComputed: boolean, key: Place): void => {
    if (!isComputed) properties.push(key);
  };
  new Visitor({
    Identifier: (node) => void identifiers.set(node.start, node),
    MemberExpression: (node) => property(node.computed, node.property),
    MethodDefinition: (node) => property(node.computed, node.key),
    PropertyDefinition: (node) => property(node.computed, node.key),
    Property: (node) => {
      if (node.shorthand) shorthands.add(node.key.start);
      else property(node.computed, node.key);
    },
  }).visit(program);
  for (const { start } of properties) identifiers.delete(start);
  return [...identifiers.values()]
    .toSorted((left, right) => left.start - right.start)
    .map(({ name, start, end }) => ({ name, start, end, isShorthand: shorthands.has(start) }));
}

/** Whether an identifier means what its name means outside of all functions and blocks. */
export function isOutermost(program: ESTree.Program): (use: Use) => boolean {
  const scopes = new Map<string, Place[]>();
  /** The functions and blocks around the visited node. */
  const around: (Place & { readonly isFunction: boolean })[] = [];
  const enter = ({ start, end }: Place, isFunction: boolean): void =>
    void around.push({ start, end, isFunction });
  const leave = (): void => void around.pop();
  const bind = (patterns: readonly (ESTree.Node | null)[], scope: Place | undefined): void => {
    if (scope === undefined) return;
    for (const name of patterns.flatMap(namesOf))
      scopes.set(name, [...(scopes.get(name) ?? []), scope]);
  };
  const enterFunction = (node: ESTree.Function | ESTree.ArrowFunctionExpression): void => {
    if (node.type === "FunctionDeclaration") bind([node.id], around.at(-1));
    enter(node, true);
    bind(node.params, node);
    if (node.type === "FunctionExpression") bind([node.id], node);
  };
  const enterBlock = (node: Place): void => enter(node, false);
  new Visitor({
    FunctionDeclaration: enterFunction,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enterFunction,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enterFunction,
    "ArrowFunctionExpression:exit": leave,
    BlockStatement: enterBlock,
    "BlockStatement:exit": leave,
    ForStatement: enterBlock,
    "ForStatement:exit": leave,
    ForInStatement: enterBlock,
    "ForInStatement:exit": leave,
    ForOfStatement: enterBlock,
    "ForOfStatement:exit": leave,
    SwitchStatement: enterBlock,
    "SwitchStatement:exit": leave,
    StaticBlock: (node) => enter(node, true),
    "StaticBlock:exit": leave,
    CatchClause: (node) => bind([node.param], node),
    ClassDeclaration: (node) => bind([node.id], around.at(-1)),
    ClassExpression: (node) => bind([node.id], node),
    VariableDeclaration: ({ kind, declarations }) => {
      const scope =
        kind === "var" ? around.findLast(({ isFunction }) => isFunction) : around.at(-1);
      bind(
        declarations.map(({ id }) => id),
        scope,
      );
    },
  }).visit(program);
  return ({ name, start: at }) =>
    !(scopes.get(name) ?? []).some(({ start, end }) => start <= at && at < end);
}

/** The names that a parameter or a declaration binds. */
function namesOf(pattern: ESTree.Node | null): readonly string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) =>
        namesOf(each.type === "Property" ? each.value : each),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap(namesOf);
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    default:
      return [];
  }
}
