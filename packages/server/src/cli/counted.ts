/** `1 session`, `2 sessions`. */
export function counted(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
