import { defined } from "../../domain/defined.ts";
import type { Stats, StatsBucket, StatsGroup } from "@holdfast/protocol";
import { openPrinter, type Printer } from "../terminal/printer.ts";
import { counted, durationText } from "../terminal/format.ts";
import type { CommonFlags } from "../gateway/find-server.ts";
import { withGateway } from "../gateway/open-gateway.ts";

export async function showStats(
  flags: CommonFlags & { readonly from?: string; readonly to?: string },
): Promise<void> {
  const printer = openPrinter(flags);
  const { from, to } = flags;
  const stats = await withGateway(flags, "read", (gateway) => gateway.stats(defined({ from, to })));
  if (flags.json === true) return printer.json(stats);
  if (stats.sessions === 0) return printer.note("No sessions in this time range.");
  showTotals(printer, stats);
  showOverTime(printer, stats.overTime);
  showGroups(printer, "AGENT", stats.byAgent);
  showGroups(printer, "PROVIDER", stats.byProvider);
  showPhases(printer, stats.byPhase);
}

function showTotals(printer: Printer, { sessions, resumeRate, successRate, total }: Stats): void {
  const facts = [
    counted(sessions, "session"),
    counted(total.runs, "run"),
    `${percent(successRate)} succeeded`,
    ...(resumeRate === null ? [] : [`${percent(resumeRate)} of interrupted runs continued`]),
    ...(total.errors === 0 ? [] : [counted(total.errors, "error")]),
    ...(total.inputTokens + total.outputTokens === 0
      ? []
      : [`${compact(total.inputTokens)} tokens in, ${compact(total.outputTokens)} out`]),
    ...Object.entries(total.cost)
      .filter(([, amount]) => amount > 0)
      .map(([currency, amount]) => `${amount} ${currency}`),
  ];
  printer.line(facts.join(" · "));
}

const BARS = "▁▂▃▄▅▆▇█";

/** One bar per bucket of time, for the runs that ended in it. */
function showOverTime(printer: Printer, { buckets, bucketMs }: Stats["overTime"]): void {
  if (buckets.length < 2) return;
  const room = Math.max(10, printer.terminal.stdout.columns() - 2);
  const shown = buckets.slice(-room);
  const most = Math.max(1, ...shown.map(runsOf));
  const bars = shown.map((bucket) => {
    const runs = runsOf(bucket);
    return runs === 0 ? " " : (BARS[Math.ceil((runs / most) * BARS.length) - 1] ?? "█");
  });
  const [first] = shown;
  printer.line("");
  printer.line(bars.join(""));
  printer.line(
    `runs per ${durationText(bucketMs)} since ${first?.start.slice(0, 16).replace("T", " ")}, at most ${most}`,
    printer.paint.dim,
  );
}

function runsOf({ completed, failed, cancelled, interrupted }: StatsBucket): number {
  return completed + failed + cancelled + interrupted;
}

function showGroups(printer: Printer, title: string, groups: readonly StatsGroup[]): void {
  if (groups.length === 0) return;
  printer.line("");
  printer.table(
    groups.map((group) => [
      group.name ?? "(none)",
      String(group.sessions),
      String(group.runs),
      percent(group.successRate),
      group.durationMs === null ? null : durationText(group.durationMs.median),
      String(group.errors),
      compact(group.inputTokens + group.outputTokens),
    ]),
    [{ title, flexible: true }, "SESSIONS", "RUNS", "SUCCESS", "MEDIAN TIME", "ERRORS", "TOKENS"],
  );
}

function showPhases(printer: Printer, phases: Stats["byPhase"]): void {
  const entered = phases.filter(({ sessions }) => sessions > 0);
  if (entered.length === 0) return;
  printer.line("");
  printer.table(
    entered.map(({ phase, sessions, durationMs, errors }) => [
      phase,
      String(sessions),
      durationMs === null ? null : durationText(durationMs.median),
      String(errors),
    ]),
    ["PHASE", "SESSIONS", "MEDIAN TIME", "ERRORS"],
  );
}

function percent(rate: number | null): string {
  return rate === null ? "–" : `${Math.round(rate * 100)} %`;
}

function compact(amount: number): string {
  return new Intl.NumberFormat("en", { notation: "compact" }).format(amount);
}
