import { isObject } from "@holdfast/client";
import { visibleText } from "./visible-text.ts";

export type OptionTone = "allow" | "reject" | "other";

/** One of the offered answers. */
export interface ApprovalOption {
  readonly optionId: string;
  /** In the words of the agent. */
  readonly name: string;
  readonly tone: OptionTone;
  /** Applies to the rest of the session. */
  readonly always: boolean;
  /** The key that chooses it. Above 9 there is none. */
  readonly digit: number;
}

type Option = Omit<ApprovalOption, "digit">;

/**
 * The options in one order for all agents: 1 allows once, 2 allows always, 3 rejects. Others follow from 4. If none of
 * the options allows or rejects, they keep the agent's order from 1.
 */
export function optionsIn(request: Readonly<Record<string, unknown>>): readonly ApprovalOption[] {
  const options = readOptions(request["options"]);
  const main = [
    options.find(({ tone, always }) => tone === "allow" && !always),
    options.find(({ tone, always }) => tone === "allow" && always),
    options.find(({ tone, always }) => tone === "reject" && !always) ??
      options.find(({ tone }) => tone === "reject"),
  ];
  const others = options.filter((option) => !main.includes(option));
  const first = others.length === options.length ? 1 : main.length + 1;
  return [
    ...main.flatMap((option, index) =>
      option === undefined ? [] : [{ ...option, digit: index + 1 }],
    ),
    ...others.map((option, index) => ({ ...option, digit: first + index })),
  ];
}

/** Suggested answers to a question. */
export function suggestedOptions(texts: readonly string[]): readonly ApprovalOption[] {
  return texts.map((text, index) => ({
    optionId: text,
    name: text,
    tone: "other",
    always: false,
    digit: index + 1,
  }));
}

/** The words for an option: first what Holdfast does, then the agent's words, which may promise more. */
export function optionWords(
  { name, tone, always }: Pick<ApprovalOption, "name" | "tone" | "always">,
  scope: string,
): { readonly text: string; readonly ofAgent: string | null } {
  if (!always || tone === "other" || scope === "") return { text: name, ofAgent: null };
  return { text: `Always ${tone} ${scope} in this session`, ofAgent: name };
}

function readOptions(options: unknown): readonly Option[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option: unknown): Option[] => {
    if (!isObject(option)) return [];
    const { optionId, name } = option;
    if (typeof optionId !== "string") return [];
    const kind = typeof option["kind"] === "string" ? option["kind"] : "other";
    return [
      {
        optionId,
        name: typeof name === "string" && name.trim() !== "" ? visibleText(name) : optionId,
        tone: toneOf(kind),
        always: kind.endsWith("_always"),
      },
    ];
  });
}

export function toneOf(kind: string): OptionTone {
  if (kind.startsWith("allow")) return "allow";
  return kind.startsWith("reject") ? "reject" : "other";
}
