import { script } from "@bomb.sh/tab";
import type { SHELLS } from "../program-options.ts";

/** Prints a script that completes commands, options and IDs. A shell can read it more than once. */
export async function printCompletion(shell: (typeof SHELLS)[number]): Promise<void> {
  const text = captured(() => script(shell, "holdfast", "holdfast"));
  process.stdout.write(shell === "bash" ? forBash(text) : text);
}

/** The library prints its script with `console.log`. */
function captured(print: () => void): string {
  const { log } = console;
  let text = "";
  console.log = (...lines: readonly unknown[]) => void (text += `${lines.join(" ")}\n`);
  try {
    print();
    return text;
  } finally {
    console.log = log;
  }
}

/** Read-only variables would fail the second time, and the bash-completion package may be missing. */
function forBash(text: string): string {
  return text
    .replaceAll(/^readonly /gmu, "")
    .replace(
      /^( *)(_get_comp_words_by_ref .*)$/mu,
      [
        "$1if declare -F _get_comp_words_by_ref >/dev/null; then",
        "$1    $2",
        "$1else",
        '$1    words=("$${COMP_WORDS[@]}") cword=$$COMP_CWORD cur=$${COMP_WORDS[COMP_CWORD]}',
        "$1fi",
      ].join("\n"),
    );
}
