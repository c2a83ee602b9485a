const STEPS = [
  { unit: "second", ms: 1_000 },
  { unit: "minute", ms: 60_000 },
  { unit: "hour", ms: 3_600_000 },
  { unit: "day", ms: 86_400_000 },
] as const;

/** `5m ago`, in the largest unit that is not zero. */
export function timeAgo(time: string, now: number): string {
  const agoMs = Math.max(0, now - Date.parse(time));
  const step = STEPS.findLast(({ ms }) => agoMs >= ms) ?? STEPS[0];
  // Made when it is needed: most commands do not, and it takes longer to make than they take.
  return new Intl.RelativeTimeFormat("en", { numeric: "always", style: "narrow" }).format(
    -Math.floor(agoMs / step.ms),
    step.unit,
  );
}

/** `1 h 5 min`, the two largest units; below a minute, seconds. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = Math.round(ms / 60_000);
  const [days, hours, rest] = [
    Math.floor(minutes / 1_440),
    Math.floor(minutes / 60) % 24,
    minutes % 60,
  ];
  const parts = [
    { amount: days, name: "d" },
    { amount: hours, name: "h" },
    { amount: rest, name: "min" },
  ].filter(({ amount }) => amount > 0);
  return parts
    .slice(0, 2)
    .map(({ amount, name }) => `${amount} ${name}`)
    .join(" ");
}
