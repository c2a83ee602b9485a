import type { ReactElement } from "react";
import type { DiffLine } from "../diff/diff-lines.ts";
import { numberOf, type TextLine } from "../diff/diff-table.tsx";
import { Select } from "../ui/field.tsx";
import type { LineRange } from "./line-comments.ts";

/** Chooses the lines of a comment where their numbers cannot be pressed. */
export function LineFields({
  lines,
  range: { from, to },
  onChange,
}: {
  readonly lines: readonly DiffLine[];
  readonly range: LineRange;
  readonly onChange: (range: LineRange) => void;
}): ReactElement {
  const options = lines.flatMap((line, index) => (line.line === "gap" ? [] : [{ line, index }]));
  const choice = (label: string, value: number, choose: (index: number) => void): ReactElement => (
    <Select
      aria-label={label}
      value={value}
      onChange={(event) => choose(Number(event.target.value))}
      className="min-w-0 flex-1"
    >
      {options.map(({ line, index }) => (
        <option key={index} value={index}>
          {optionText(line)}
        </option>
      ))}
    </Select>
  );
  return (
    <div className="flex items-center gap-2 font-sans">
      {choice("From line", from, (index) => onChange({ from: index, to: Math.max(index, to) }))}
      <span className="text-muted">to</span>
      {choice("To line", to, (index) => onChange({ from: Math.min(from, index), to: index }))}
    </div>
  );
}

const SIGNS = { same: "", removed: "−", added: "+" } as const;

function optionText(line: TextLine): string {
  return `${numberOf(line)}${SIGNS[line.line]} ${line.text.trim().slice(0, 40)}`;
}
