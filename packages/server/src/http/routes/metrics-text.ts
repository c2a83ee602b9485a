import type { Histogram } from "../../runtime/runtime.ts";

export type Labels = Readonly<Record<string, string>>;

export type Metric = { readonly name: string; readonly help: string } & (
  | { readonly type: "gauge" | "counter"; readonly samples: readonly Sample[] }
  | { readonly type: "histogram"; readonly histogram: Histogram }
);

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** Metrics in the text format of Prometheus, version 0.0.4. */
export function toMetricsText(metrics: readonly Metric[]): string {
  return metrics.map((metric) => `${toLines(metric).join("\n")}\n`).join("");
}

function toLines(metric: Metric): readonly string[] {
  const { name, help, type } = metric;
  const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  if (metric.type !== "histogram") {
    return [
      ...head,
      ...metric.samples.map(({ labels = {}, value }) => toLine(name, labels, value)),
    ];
  }
  const { buckets, count, sum } = metric.histogram;
  return [
    ...head,
    ...buckets
      .filter(({ le }) => le !== Number.POSITIVE_INFINITY)
      .map((bucket) => toLine(`${name}_bucket`, { le: toNumber(bucket.le) }, bucket.count)),
    toLine(`${name}_bucket`, { le: "+Inf" }, count),
    toLine(`${name}_sum`, {}, sum),
    toLine(`${name}_count`, {}, count),
  ];
}

function toLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${toNumber(value)}`;
}

function toNumber(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", String.raw`\\`).replaceAll("\n", String.raw`\n`);
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', String.raw`\"`);
}
