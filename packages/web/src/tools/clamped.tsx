import { useState, type ReactElement, type ReactNode } from "react";

/** The first or last lines of a long text, with a button to show all. */
export function Clamped({
  text,
  lines: limit,
  end = false,
  children,
}: {
  readonly text: string;
  readonly lines: number;
  /** Shows the last lines instead of the first. */
  readonly end?: boolean;
  readonly children: (text: string) => ReactNode;
}): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const lines = text.split("\n");
  const maxLength = limit * 200;
  const isLong = lines.length > limit * 1.25 || text.length > maxLength;
  if (isWhole || !isLong) return <>{children(text)}</>;
  const some = (end ? lines.slice(-limit) : lines.slice(0, limit)).join("\n");
  const short = end ? some.slice(-maxLength) : some.slice(0, maxLength);
  return (
    <>
      {!end && children(short)}
      <button type="button" className="show-all" onClick={() => setWhole(true)}>
        {lines.length > limit ? `Show all ${lines.length.toLocaleString("en")} lines` : "Show all"}
      </button>
      {end && children(short)}
    </>
  );
}
