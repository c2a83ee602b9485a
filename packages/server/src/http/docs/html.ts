/** Text that is HTML. Templates escape everything else. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | null | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const markup = strings.reduce(
    (all, text, index) => all + toMarkup(parts[index - 1] ?? null) + text,
  );
  return { markup };
}

/** Turns text between backticks into code. */
export function withCode(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

function toMarkup(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number") return escape(String(part));
  return isList(part) ? part.map(toMarkup).join("") : part.markup;
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);
}
