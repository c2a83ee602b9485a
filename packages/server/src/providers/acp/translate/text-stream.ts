import { cleanText } from "../../../domain/clean-text.ts";
import type { AgentReport } from "../../provider.ts";

export type TextReport = Extract<AgentReport, { report: "text" }>;

/**
 * Cleans text that comes in pieces cut anywhere. A piece that ends in half a character waits for the rest of it: the
 * texts of all reports together are the clean whole, however it was cut.
 */
export interface TextStream {
  take(piece: TextReport): readonly TextReport[];
  /** Lets go of a half character to which no other half has come. */
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
    take(piece) {
      const continues = held !== null && held.voice === piece.voice && held.part === piece.part;
      const before = continues ? [] : flush();
      const { whole, half } = splitHalf((held?.text ?? "") + piece.text);
      held = half === "" ? null : { ...piece, text: half };
      const clean = cleanText(whole);
      return clean === "" ? before : [...before, { ...piece, text: clean }];
    },
    flush,
  };
}

/** Takes half a character off the end of a text that was cut anywhere. */
export function splitHalf(text: string): { readonly whole: string; readonly half: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? { whole: text.slice(0, -1), half: text.slice(-1) } : { whole: text, half: "" };
}
