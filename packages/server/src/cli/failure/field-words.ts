import type { FieldError } from "@holdfast/protocol";

/** An error in a field of a request, in the words of the command line: the option, not the field. */
export function fieldSentence({ field, message }: FieldError): string {
  return `${wordFor(field)} ${message}.`;
}

function wordFor(field: string): string {
  const [name = "", ...rest] = field.split(".");
  const word = WORDS[name] ?? `--${kebab(name)}`;
  return rest.length === 0 ? word : `${word}: ${rest.join(".")}`;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}

/** The other fields have the name of their option. */
const WORDS: Readonly<Record<string, string>> = {
  "": "The command",
  agentId: "--id",
  agentName: "--agent",
  atMessage: "--at",
  content: "The message",
  expiresInDays: "--expires",
  id: "The ID",
  path: "The path",
  q: "--search",
  repoId: "--repo",
  suspensionId: "--suspension",
  text: "The message",
};
