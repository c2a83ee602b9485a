/** One offered value of a field. */
export interface FormChoice {
  readonly value: string;
  readonly title: string;
  readonly description: string | null;
  /** A longer text that shows what the choice means, such as code or a drawing. */
  readonly preview: string | null;
}

export const TEXT_FORMATS = ["email", "uri", "date", "date-time"] as const;
export type TextFormat = (typeof TEXT_FORMATS)[number];

interface NamedField {
  /** The name of the value in the answer. */
  readonly name: string;
  readonly title: string;
  readonly description: string | null;
  readonly required: boolean;
}

export interface TextField extends NamedField {
  readonly type: "text";
  readonly format: TextFormat | null;
  readonly minLength: number | null;
  readonly maxLength: number | null;
  /** A regular expression of the agent. Only the server enforces it, because it can cost unlimited time. */
  readonly pattern: string | null;
  readonly initial: string | null;
  /** The agent says that the text is a secret. */
  readonly secret: boolean;
  /** The name of the choice that this text completes or replaces, such as "Other". */
  readonly companionOf: string | null;
}

export interface NumberField extends NamedField {
  readonly type: "number";
  readonly integer: boolean;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly initial: number | null;
}

export interface BooleanField extends NamedField {
  readonly type: "boolean";
  readonly initial: boolean | null;
}

export interface ChoiceField extends NamedField {
  readonly type: "choice";
  readonly choices: readonly FormChoice[];
  readonly initial: string | null;
}

export interface ChoicesField extends NamedField {
  readonly type: "choices";
  readonly choices: readonly FormChoice[];
  readonly minItems: number | null;
  readonly maxItems: number | null;
  readonly initial: readonly string[];
}

/** Its type is not one of a form, so it can only be left out. */
export interface OtherField extends NamedField {
  readonly type: "other";
  readonly schema: unknown;
}

export type FormField =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | OtherField;

export type Form =
  | {
      readonly shape: "fields";
      readonly title: string | null;
      readonly description: string | null;
      readonly fields: readonly FormField[];
    }
  /** The schema cannot be read: a person writes the content as one JSON object. */
  | { readonly shape: "json"; readonly schema: unknown };
