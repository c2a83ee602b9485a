import { cleanText } from "../../../domain/clean-text.ts";
import type { AgentReport } from "../../provider.ts";
import { NOTHING_HELD, type HeldText, type Redactor } from "../../secrets/redactor.ts";

export type TextReport = Extract<AgentReport, { report: "text" }>;

/**
 * Cleans streamed text, and removes secrets. If a chunk ends in the middle of a surrogate pair, or with what may be the
 * beginning of a secret, that end waits for the next chunk.
 */
export interface TextStream {
  take(chunk: TextReport): readonly TextReport[];
  /** Reports what waits, because the text ends here. */
  flush(): readonly TextReport[];
  /** Reports what waits for the rest of a secret, although the text may go on. */
  release(): readonly TextReport[];
  /** Whether text waits for the rest of a secret. */
  readonly isHolding: boolean;
}

export function createTextStream(redactor: Redactor): TextStream {
  /** The last chunk, whose end waits. */
  let last: TextReport | null = null;
  let half = "";
  /** Remembered after a text has ended: the next one may continue a secret. */
  const helds: Record<TextReport["voice"], HeldText> = {
    answer: NOTHING_HELD,
    thought: NOTHING_HELD,
  };

  const release = (): readonly TextReport[] => {
    if (last === null) return [];
    const { text, held } = redactor.release(helds[last.voice]);
    helds[last.voice] = held;
    return text === "" ? [] : [{ ...last, text }];
  };

  const flush = (): readonly TextReport[] => {
    const released = release();
    const rest = last === null || half === "" ? [] : [{ ...last, text: cleanText(half) }];
    last = null;
    half = "";
    return [...released, ...rest];
  };

  return {
    take(chunk) {
      const continues = last !== null && last.voice === chunk.voice && last.part === chunk.part;
      const before = continues ? [] : flush();
      const split = splitHalf(half + chunk.text);
      half = split.half;
      last = chunk;
      const { text, held } = redactor.next(helds[chunk.voice], cleanText(split.whole));
      helds[chunk.voice] = held;
      return text === "" ? before : [...before, { ...chunk, text }];
    },
    flush,
    release,
    get isHolding() {
      if (last === null) return false;
      const { raw, shown } = helds[last.voice];
      return shown < raw.length;
    },
  };
}

/** Splits half a surrogate pair off the end of a text. */
export function splitHalf(text: string): { readonly whole: string; readonly half: string } {
  const last = text.charCodeAt(text.length - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf ? { whole: text.slice(0, -1), half: text.slice(-1) } : { whole: text, half: "" };
}
