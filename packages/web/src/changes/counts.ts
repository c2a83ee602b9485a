import type { ChangeCounts } from "@holdfast/protocol";

/** Such as `+12 −3`; the number of files if no line changed. */
export function countsText({ files, added, deleted }: ChangeCounts): string {
  return added + deleted === 0 ? filesText(files) : signed(added, deleted);
}

/** Such as `+3 −1 in 2 files`. */
export function runText(counts: ChangeCounts): string {
  const { files, added, deleted } = counts;
  const text = filesText(files);
  return added + deleted === 0 ? `${text} changed` : `${signed(added, deleted)} in ${text}`;
}

/** In words, for screen readers and tooltips. */
export function countsName({ files, added, deleted }: ChangeCounts): string {
  const lines = `${number(added)} lines added, ${number(deleted)} removed`;
  return `${lines}, in ${filesText(files)}`;
}

/** Null if nothing changed, or if it is not known. */
export function someChanges(counts: ChangeCounts | null): ChangeCounts | null {
  return counts === null || counts.files === 0 ? null : counts;
}

export function filesText(files: number): string {
  return files === 1 ? "1 file" : `${number(files)} files`;
}

function signed(added: number, deleted: number): string {
  return `+${number(added)} −${number(deleted)}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
