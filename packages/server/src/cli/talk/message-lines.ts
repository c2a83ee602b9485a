import type { MessageContent, TextContent } from "@holdfast/protocol";
import { z } from "zod";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";

/** What the server or the agent's program says about a run: one line. */
export function noticeLine({ notice, text }: TextContent, paint: Paint): string {
  const line = `— ${neutraliseLine(text)}`;
  return notice !== undefined && FAILURES.has(notice) ? paint.red(line) : paint.dim(line);
}

/** What a user has said, told from what the agent says by a sign before each line. */
export function userLines(content: MessageContent, paint: Paint): readonly string[] {
  return wordsOf(content)
    .split("\n")
    .map((line) => paint.bold(paint.cyan(`> ${neutralise(line)}`)));
}

/** What is no text is named. */
export function contentLines(content: MessageContent, paint: Paint): readonly string[] {
  return [paint.dim(neutraliseLine(nameOf(content)))];
}

const FAILURES: ReadonlySet<string> = new Set(["run_failed", "session_failed"]);

const partsSchema = z.object({ parts: z.array(z.looseObject({ type: z.string() })) });
const namedSchema = z.object({
  text: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  uri: z.string().optional().catch(undefined),
});

function wordsOf(content: MessageContent): string {
  const { data } = partsSchema.safeParse(content);
  const parts = data === undefined ? [content] : data.parts;
  return parts.map((part) => namedSchema.parse(part).text ?? nameOf(part)).join("\n");
}

function nameOf(content: MessageContent): string {
  const { title, name, uri } = namedSchema.parse(content);
  const names = [title ?? name, uri].filter((each) => each !== undefined);
  return [`[${content.type}]`, ...new Set(names)].join(" ");
}
