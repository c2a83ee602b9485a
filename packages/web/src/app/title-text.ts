/** What the tab says. */
export function titleText(title: string | null, waiting: number): string {
  const name = title === null || title === "" ? "Holdfast" : `${title} · Holdfast`;
  return waiting === 0 ? name : `(${waiting}) ${name}`;
}
