import { useEffect, useState, type ReactElement } from "react";
import { durationText } from "../ui/time.ts";

/** The elapsed time, hidden in the first seconds. */
export function Elapsed({ since }: { readonly since: string }): ReactElement | null {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const ms = now - Date.parse(since);
  return ms < 2_000 ? null : <span className="fold-aside">{durationText(ms)}</span>;
}
