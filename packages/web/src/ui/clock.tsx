import { type ReactElement, useEffect, useState } from "react";

/** The time since a moment. It counts the seconds by itself, so that nothing else renders again. */
export function Clock({
  since,
  className,
}: {
  readonly since: string;
  readonly className?: string;
}): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span className={className} role="timer">
      {clockText(now - Date.parse(since))}
    </span>
  );
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3_600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const two = (part: number): string => String(part).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
