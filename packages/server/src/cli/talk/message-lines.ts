import type { MessageContent, PlanContent, Run, TextContent } from "@holdfast/protocol";
import { z } from "zod";
import { neutralise, neutraliseLine } from "../terminal/neutralise.ts";
import type { Paint } from "../terminal/paint.ts";

/** A notice of the server or the provider about a run, on one line. */
export function noticeLine({ notice, text }: TextContent, paint: Paint): string {
  const line = `— ${neutraliseLine(text)}`;
  return notice !== undefined && FAILURES.has(notice) ? paint.red(line) : paint.dim(line);
}

/** A message of a user, with a mark before each line. */
export function userLines(content: MessageContent, paint: Paint): readonly string[] {
  const words = wordsOf(content)
    .split("\n")
    .map((line) => paint.bold(paint.cyan(`> ${neutralise(line)}`)));
  return content["injected"] === true ? [...words, paint.dim("  (given during the run)")] : words;
}

/** Names content that is not text. */
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

/** Usage of a run on one line; empty when nothing is known. */
export function usageLine({ usage, provider, model, startedAt, endedAt }: Run): string {
  const used = usageSchema.safeParse(usage ?? {}).data ?? {};
  const tokens = tokensIn(used);
  const cost = used.cost === undefined ? [] : [moneyOf(used.cost)];
  const tookMs =
    startedAt === null || endedAt === null ? NaN : Date.parse(endedAt) - Date.parse(startedAt);
  const took = Number.isFinite(tookMs) ? [durationOf(tookMs)] : [];
  const who = [provider, model].filter((name) => name !== null).map(neutraliseLine);
  return [...(who.length > 0 ? [who.join("/")] : []), ...tokens, ...cost, ...took].join(" · ");
}

/** The steps of a plan as a checklist. */
export function planLines({ steps, ...content }: PlanContent, paint: Paint): readonly string[] {
  const text = content["text"];
  if (steps.length === 0 && typeof text === "string") return neutralise(text).split("\n");
  return steps.flatMap((step) => {
    const { data } = stepSchema.safeParse(step);
    if (data === undefined) return [];
    const name = neutraliseLine(data.content);
    switch (data.status) {
      case "completed":
        return [`${paint.green("☑")} ${paint.dim(name)}`];
      case "in_progress":
        return [`${paint.yellow("▸")} ${paint.bold(name)}`];
      default:
        return [`${paint.dim("☐")} ${name}`];
    }
  });
}

/** The steps of a plan without their progress, for comparison. */
export function stepNames({ steps }: PlanContent): string {
  return JSON.stringify(steps.map((step) => stepSchema.safeParse(step).data?.content ?? null));
}

const usageSchema = z.object({
  inputTokens: z.number().optional().catch(undefined),
  outputTokens: z.number().optional().catch(undefined),
  totalTokens: z.number().optional().catch(undefined),
  cost: z.object({ amount: z.number(), currency: z.string() }).optional().catch(undefined),
});
const stepSchema = z.object({ content: z.string(), status: z.string().catch("pending") });

function tokensIn({
  inputTokens,
  outputTokens,
  totalTokens,
}: z.infer<typeof usageSchema>): readonly string[] {
  if (inputTokens !== undefined || outputTokens !== undefined)
    return [`${countOf(inputTokens ?? 0)} tokens in, ${countOf(outputTokens ?? 0)} out`];
  return totalTokens === undefined ? [] : [`${countOf(totalTokens)} tokens`];
}

function countOf(count: number): string {
  return count.toLocaleString("en-US");
}

function moneyOf({ amount, currency }: { amount: number; currency: string }): string {
  return `${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)} ${neutraliseLine(currency)}`;
}

function durationOf(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}
