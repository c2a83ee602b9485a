import { isArray, isObject, type Json } from "../json.ts";
import type { OptionValue } from "./agent-settings.ts";

/** What an agent lets its user choose. */
export type AgentOffer = {
  /** Mode and model have the IDs `mode` and `model`. */
  readonly options: readonly OfferedOption[];
  /** Slash commands. */
  readonly commands: readonly OfferedCommand[];
};

export type OfferedOption = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  /** The agent's own word for its purpose, such as `thought_level`. */
  readonly category: string | null;
  readonly type: "select" | "boolean";
  /** Null if it is unknown. */
  readonly value: OptionValue | null;
  /** Empty for a boolean option. */
  readonly choices: readonly OfferedChoice[];
};

export type OfferedChoice = {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
};

export type OfferedCommand = {
  readonly name: string;
  readonly description: string;
  /** A hint for its argument; null if it takes none. */
  readonly hint: string | null;
};

export const NO_OFFER: AgentOffer = { options: [], commands: [] };

/** A stored offer is at most this long, in characters of JSON. */
const MAX_OFFER_LENGTH = 512 * 1024;

export function optionIn(offer: AgentOffer, id: string): OfferedOption | null {
  return offer.options.find((option) => option.id === id) ?? null;
}

/** Whether the option can have the value. A select without choices takes any text. */
export function canHave(option: OfferedOption, value: OptionValue): boolean {
  if (option.type === "boolean") return typeof value === "boolean";
  const isListed = option.choices.some(({ id }) => id === value);
  return typeof value === "string" && (option.choices.length === 0 || isListed);
}

/** The values that the option offers, as a text. */
export function choicesText({ type, choices }: OfferedOption): string {
  if (type === "boolean") return "true, false";
  const names = choices.slice(0, MAX_NAMED).map(({ id }) => id);
  return choices.length > names.length ? `${names.join(", ")}, …` : names.join(", ");
}

const MAX_NAMED = 20;

/**
 * The offer to store for the provider: what a new session offers before anything is set, since options depend on the
 * model. `isNew` says whether this is such an offer; another one only adds what is not known yet.
 */
export function offerToKeep(
  offer: AgentOffer,
  { before, isNew }: { readonly before: AgentOffer; readonly isNew: boolean },
): AgentOffer {
  const options = isNew || before.options.length === 0 ? offer.options : before.options;
  const commands = offer.commands.length > 0 ? offer.commands : before.commands;
  return within({ options, commands });
}

/** Descriptions are the longest part, and go first. */
function within(offer: AgentOffer): AgentOffer {
  if (JSON.stringify(offer).length <= MAX_OFFER_LENGTH) return offer;
  const short: AgentOffer = {
    options: offer.options.map((option) => ({
      ...option,
      choices: option.choices.map((choice) => ({ ...choice, description: null })),
    })),
    commands: offer.commands.map((command) => ({ ...command, description: "" })),
  };
  return JSON.stringify(short).length <= MAX_OFFER_LENGTH ? short : NO_OFFER;
}

/** Invalid entries are left out. */
export function parseOffer(stored: Json): AgentOffer {
  if (!isObject(stored)) return NO_OFFER;
  return {
    options: listOf(stored["options"]).flatMap(parseOption),
    commands: listOf(stored["commands"]).flatMap(parseCommand),
  };
}

function parseOption(json: Json): OfferedOption[] {
  if (!isObject(json)) return [];
  const { id, name, value, type } = json;
  if (typeof id !== "string" || typeof name !== "string") return [];
  const isValue = typeof value === "string" || typeof value === "boolean";
  return [
    {
      id,
      name,
      description: textOrNull(json["description"]),
      category: textOrNull(json["category"]),
      type: type === "boolean" ? "boolean" : "select",
      value: isValue ? value : null,
      choices: listOf(json["choices"]).flatMap(parseChoice),
    },
  ];
}

function parseChoice(json: Json): OfferedChoice[] {
  if (!isObject(json)) return [];
  const { id, name } = json;
  if (typeof id !== "string" || typeof name !== "string") return [];
  return [{ id, name, description: textOrNull(json["description"]) }];
}

function parseCommand(json: Json): OfferedCommand[] {
  if (!isObject(json)) return [];
  const { name, description } = json;
  if (typeof name !== "string" || typeof description !== "string") return [];
  return [{ name, description, hint: textOrNull(json["hint"]) }];
}

function textOrNull(json: Json | undefined): string | null {
  return typeof json === "string" ? json : null;
}

function listOf(json: Json | undefined): readonly Json[] {
  return json !== undefined && isArray(json) ? json : [];
}
