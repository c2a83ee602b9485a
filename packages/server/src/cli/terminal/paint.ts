import { styleText } from "node:util";

export type Colouring = (text: string) => string;

/** The styles of the output. Without colour each returns its text unchanged. */
export interface Paint {
  readonly isPlain: boolean;
  readonly bold: Colouring;
  readonly dim: Colouring;
  readonly italic: Colouring;
  readonly underline: Colouring;
  readonly strikethrough: Colouring;
  readonly cyan: Colouring;
  readonly green: Colouring;
  readonly red: Colouring;
  readonly yellow: Colouring;
}

export function createPaint({ colour }: { readonly colour: boolean }): Paint {
  const style =
    (format: Parameters<typeof styleText>[0]): Colouring =>
    (text) =>
      colour && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    isPlain: !colour,
    bold: style("bold"),
    dim: style("dim"),
    italic: style("italic"),
    underline: style("underline"),
    strikethrough: style("strikethrough"),
    cyan: style("cyan"),
    green: style("green"),
    red: style("red"),
    yellow: style("yellow"),
  };
}
