import {
  loginRequestSchema,
  readForm,
  type Form,
  type OpenSuspension,
  type ToolContent,
} from "@holdfast/protocol";
import { z } from "zod";
import { isObject } from "../../domain/json.ts";
import type { FileDiff } from "./diff-lines.ts";
import { shellWord } from "../terminal/format.ts";
import { commandLine } from "../terminal/invocation.ts";
import { diffsIn } from "./tool-lines.ts";

/** A suspension as a question at the terminal. */
export type Question =
  | {
      readonly ask: "choice";
      readonly id: string;
      readonly title: string;
      /** For a permission: the kind of work, the input of the tool, the files and their changes. */
      readonly kind: string | null;
      readonly input: unknown;
      readonly locations: readonly string[];
      readonly diffs: readonly FileDiff[];
      readonly options: readonly Option[];
    }
  | {
      readonly ask: "text";
      readonly id: string;
      readonly title: string;
      readonly suggestions: readonly string[];
    }
  | {
      readonly ask: "form";
      readonly id: string;
      readonly title: string;
      /** The whole text of the agent. */
      readonly message: string;
      readonly form: Form;
    }
  /** The agent asks a person to open a page. */
  | {
      readonly ask: "url";
      readonly id: string;
      readonly title: string;
      readonly message: string;
      readonly url: string;
      readonly options: readonly Option[];
    }
  /** Cannot be answered at the terminal, or resolves by itself. */
  | {
      readonly ask: "nothing";
      readonly id: string;
      readonly title: string;
      readonly kind: OpenSuspension["kind"];
      /** The rest of the request. */
      readonly input: unknown;
      readonly until: string | null;
    };

export interface Option {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

export function questionOf(
  { id, kind, request, expiresAt }: OpenSuspension,
  toolOf: (callId: string) => ToolContent | null = () => null,
): Question {
  const fields = requestSchema.parse(request);
  const title = fields.title ?? fields.name ?? kind;
  switch (kind) {
    case "permission":
    case "budget": {
      const options = fields.options.flatMap((option) => optionSchema.safeParse(option).data ?? []);
      if (options.length === 0) break;
      const call = fields.toolCallId === undefined ? null : toolOf(fields.toolCallId);
      return {
        ask: "choice",
        id,
        title,
        kind: fields.kind ?? null,
        input: withDescription(fields.input ?? null, fields.description),
        locations: fields.locations,
        diffs: call === null ? [] : diffsIn(call),
        options,
      };
    }
    case "login":
      return {
        ask: "choice",
        id,
        title,
        kind: null,
        input: loginInput(request),
        locations: [],
        diffs: [],
        options: LOGIN_OPTIONS,
      };
    case "question": {
      const suggestions = fields.options.filter((option) => typeof option === "string");
      return { ask: "text", id, title, suggestions };
    }
    case "elicitation": {
      const { url, schema, message = title } = fields;
      if (fields.mode !== "url") return { ask: "form", id, title, message, form: readForm(schema) };
      if (url === undefined) break;
      return { ask: "url", id, title, message, url, options: URL_OPTIONS };
    }
    case "tool_result":
    case "event":
    case "rate_limit":
    case "shutdown":
      break;
    default:
      return kind satisfies never;
  }
  const { title: _, ...input } = request;
  return { ask: "nothing", id, title, kind, input, until: expiresAt };
}

const LOGIN_OPTIONS: readonly Option[] = [
  { optionId: "retry", name: "Try again", kind: "allow_once" },
  { optionId: "cancel", name: "End the run", kind: "reject_once" },
];

/** The command that logs in, then the ways that the agent offers. */
function loginInput(request: OpenSuspension["request"]): unknown {
  const login = loginRequestSchema.safeParse(request);
  if (!login.success) return null;
  const { provider, methods } = login.data;
  return {
    command: commandLine(`login ${shellWord(provider)}`),
    ...Object.fromEntries(
      methods.map(({ id, name, variables }) => [
        id,
        variables === undefined ? name : `${name}, with ${variables.join(" and ")}`,
      ]),
    ),
  };
}

/** What the agent says about the request is shown before the input. */
function withDescription(input: unknown, description: string | undefined): unknown {
  if (description === undefined) return input;
  return { description, ...(isObject(input) ? input : { input }) };
}

/** The IDs are the actions of the answer. */
const URL_OPTIONS: readonly Option[] = [
  { optionId: "accept", name: "I opened the page", kind: "allow_once" },
  { optionId: "decline", name: "Decline", kind: "reject_once" },
  { optionId: "cancel", name: "Cancel", kind: "other" },
];

/** The first option that rejects; null when there is none. */
export function rejectionIn(options: readonly Option[]): Option | null {
  return options.find(({ kind }) => kind.startsWith("reject")) ?? null;
}

const text = z.string().optional().catch(undefined);
const requestSchema = z.looseObject({
  title: text,
  name: text,
  kind: text,
  toolCallId: text,
  description: text,
  message: text,
  mode: text,
  url: text,
  schema: z.unknown().optional(),
  input: z.unknown().optional(),
  locations: z.array(z.string()).catch([]),
  options: z.array(z.unknown()).catch([]),
});
const optionSchema = z.object({
  optionId: z.string(),
  name: z.string().catch(""),
  kind: z.string().catch("other"),
});
