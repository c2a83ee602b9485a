import { fieldOf, listIn, wordIn, type OfferedTool, type FakeCall } from "./model-request.ts";

const WRITERS = new Set(["write", "write_file", "create", "create_file", "write_to_file"]);
const SHELLS = new Set([
  "bash",
  "run_shell_command",
  "shell",
  "shell_command",
  "exec_command",
  "execute_command",
  "execute",
]);

/** The call with which an agent with these tools writes a file; null if it cannot. */
export function writingCall(
  tools: readonly OfferedTool[],
  { file, text }: { readonly file: string; readonly text: string },
): FakeCall | null {
  const writer = toolAmong(tools, WRITERS);
  if (writer === null) return shellCall(tools, `printf '%s' '${text}' > '${file}'`);
  return fill(writer, (name) => {
    if (/^(file_?path|path|absolute_path|filename)$/iu.test(name)) return file;
    return /^(content|contents|file_text|text)$/iu.test(name) ? text : undefined;
  });
}

/** The call with which an agent with these tools runs a command; null if it cannot. */
export function shellCall(tools: readonly OfferedTool[], command: string): FakeCall | null {
  const shell = toolAmong(tools, SHELLS);
  if (shell === null) return null;
  return fill(shell, (name, schema) => {
    if (/^(command|cmd|commands)$/iu.test(name)) {
      return fieldOf(schema, "type") === "array" ? ["bash", "-c", command] : command;
    }
    // Codex runs a command without permission in its sandbox, where it fails.
    if (name === "sandbox_permissions") return "require_escalated";
    return name === "justification" ? "it is needed" : undefined;
  });
}

function toolAmong(tools: readonly OfferedTool[], names: ReadonlySet<string>): OfferedTool | null {
  return tools.find(({ name }) => names.has(name.toLowerCase())) ?? null;
}

/** Fills unknown required arguments with the first value that their schema allows. */
function fill(
  { name, inputSchema }: OfferedTool,
  valueOf: (parameter: string, schema: unknown) => unknown,
): FakeCall {
  const required = new Set(listIn(inputSchema, "required"));
  const parameters = Object.entries(fieldOf(inputSchema, "properties") ?? {});
  const args = parameters.flatMap(([parameter, schema]): readonly [string, unknown][] => {
    const value = valueOf(parameter, schema);
    if (value !== undefined) return [[parameter, value]];
    return required.has(parameter) ? [[parameter, anyValue(schema)]] : [];
  });
  return { name, args: Object.fromEntries(args) };
}

function anyValue(schema: unknown): unknown {
  const [choice] = listIn(schema, "enum");
  if (choice !== undefined) return choice;
  switch (wordIn(schema, "type")) {
    case "boolean":
      return false;
    case "number":
    case "integer":
      return 10_000;
    case "array":
      return [];
    case "object":
      return {};
    default:
      return "something";
  }
}
