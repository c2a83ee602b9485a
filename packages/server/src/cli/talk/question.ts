import type { OpenSuspension, ToolContent } from "@holdfast/protocol";
import { z } from "zod";
import type { FileDiff } from "./diff-lines.ts";
import { diffsIn } from "./tool-lines.ts";

/** What a suspension asks of whoever sits at the terminal. */
export type Question =
  | {
      readonly ask: "choice";
      readonly id: string;
      readonly title: string;
      /** Of a permission: the kind of work, what the tool is given, the files it changes and how. */
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
  /** It comes from elsewhere, or by itself. */
  | {
      readonly ask: "nothing";
      readonly id: string;
      readonly title: string;
      readonly kind: OpenSuspension["kind"];
      /** Everything else that is known of it. */
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
  const asked = requestSchema.parse(request);
  const title = asked.title ?? asked.name ?? kind;
  switch (kind) {
    case "permission":
    case "budget": {
      const options = asked.options.flatMap((option) => optionSchema.safeParse(option).data ?? []);
      if (options.length === 0) break;
      const call = asked.toolCallId === undefined ? null : toolOf(asked.toolCallId);
      return {
        ask: "choice",
        id,
        title,
        kind: asked.kind ?? null,
        input: asked.input ?? null,
        locations: asked.locations,
        diffs: call === null ? [] : diffsIn(call),
        options,
      };
    }
    case "question": {
      const suggestions = asked.options.filter((option) => typeof option === "string");
      return { ask: "text", id, title, suggestions };
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

/** The first option that says no; null when there is none. */
export function rejectionIn(options: readonly Option[]): Option | null {
  return options.find(({ kind }) => kind.startsWith("reject")) ?? null;
}

const text = z.string().optional().catch(undefined);
const requestSchema = z.looseObject({
  title: text,
  name: text,
  kind: text,
  toolCallId: text,
  input: z.unknown().optional(),
  locations: z.array(z.string()).catch([]),
  options: z.array(z.unknown()).catch([]),
});
const optionSchema = z.object({
  optionId: z.string(),
  name: z.string().catch(""),
  kind: z.string().catch("other"),
});
