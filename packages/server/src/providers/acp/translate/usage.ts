import type { JsonObject } from "../../../domain/json.ts";
import { looseLabel, looseNumber, looseObject, type Loose } from "../wire/loose.ts";

/** Tokens and cost, under the same names for all agents. */
export interface Usage extends JsonObject {
  readonly [key: string]: UsageValue;
}

type UsageValue = number | { readonly amount: number; readonly currency: string };

/** The names that agents use for each count. */
const TOKEN_NAMES: readonly (readonly [string, readonly string[]])[] = [
  ["inputTokens", ["inputTokens", "input_tokens", "promptTokens", "prompt_tokens"]],
  ["outputTokens", ["outputTokens", "output_tokens", "completionTokens", "completion_tokens"]],
  ["totalTokens", ["totalTokens", "total_tokens"]],
  ["contextTokens", ["contextTokens", "used"]],
  ["contextSize", ["contextSize", "size"]],
];

/** Reads the usage in the result of a prompt, in a `usage_update` or in `_meta`; null if there is none. */
export function normaliseUsage(message: unknown): Usage | null {
  const object = looseObject(message);
  if (object === null) return null;
  const meta = looseObject(object["_meta"]);
  const places = [
    looseObject(object["usage"]),
    object,
    looseObject(meta?.["usage"]),
    looseObject(looseObject(meta?.["quota"])?.["token_count"]),
  ];
  for (const place of places) {
    const usage = place === null ? null : readUsage(place);
    if (usage !== null) return usage;
  }
  return null;
}

/** Adds the tokens of several requests to a model. */
export function addTokens(left: Usage, right: Usage): Usage {
  const sum: Record<string, UsageValue> = { ...left, ...right };
  for (const name of ["inputTokens", "outputTokens", "totalTokens"]) {
    const [one, other] = [left[name], right[name]];
    if (typeof one === "number" && typeof other === "number") sum[name] = one + other;
  }
  return sum;
}

/** Agents report their total cost since they started: subtracts the total that they reported before. */
export function costSince(usage: Usage, before: Usage): Usage {
  const [now, then] = [usage["cost"], before["cost"]];
  if (typeof now !== "object" || typeof then !== "object") return usage;
  if (now.currency !== then.currency || now.amount < then.amount) return usage;
  const amount = Math.round((now.amount - then.amount) * 1e9) / 1e9;
  return { ...usage, cost: { amount, currency: now.currency } };
}

function readUsage(place: Loose): Usage | null {
  const usage: Record<string, UsageValue> = {};
  for (const [name, spellings] of TOKEN_NAMES) {
    const count = spellings.map((key) => looseNumber(place[key])).find((value) => value !== null);
    if (count !== undefined && count !== null && count >= 0) usage[name] = count;
  }
  const cost = looseObject(place["cost"]);
  const amount = looseNumber(cost?.["amount"]);
  const currency = looseLabel(cost?.["currency"], 12);
  if (amount !== null && currency !== null) usage["cost"] = { amount, currency };
  return Object.keys(usage).length === 0 ? null : usage;
}
