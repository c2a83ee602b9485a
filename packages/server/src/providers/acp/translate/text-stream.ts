import { cleanText } from "../../../domain/clean-text.ts";
import type { AgentReport } from "../../provider.ts";

export type TextReport = Extract<AgentReport, { report: "text" }>;

/** Cleans streamed text. If a chunk ends in the middle of a surrogate pair, that half waits for the next chunk. */
export interface TextStream {
  take(chunk: TextReport): readonly TextReport[];
  /** Reports a half character whose other half did not come. */
  flush(): readonly TextReport[];
}

export function createTextStream(): TextStream {
  let held: TextReport | null = null;

  const flush = (): readonly TextReport[] => {
    const last = held;
    held = null;
    return last === null ? [] : [{ ...last, text: cleanText(last.text) }];
  };

  return {
    take(chunk) {
      const continues = held !== null && held.voice === chunk.voice && held.part === chunk.part;
      const before = continues ? [] : flush();
      const { whole, half } = splitHalf((held?.text ?? "") + chunk.text);
      held = half === "" ? null : { ...chunk, text: half };
      const clean = cleanText(whole);
      return clean === "" ? before : [...before, { ...chunk, text: clean }];
    },
    flush,
  };
}

/** Splits half a surrogate pair off the end of a text. */
export function splitHalf(text: string): { readonly whole: string; readonly half: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? { whole: text.slice(0, -1), half: text.slice(-1) } : { whole: text, half: "" };
}
