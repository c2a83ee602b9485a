import { styleText } from "node:util";

export type Colouring = (text: string) => string;

export type Paint = Readonly<ReturnType<typeof createPaint>>;

/** The styles of the output. Without colour each returns its text unchanged. */
export function createPaint({ colour }: { readonly colour: boolean }) {
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
