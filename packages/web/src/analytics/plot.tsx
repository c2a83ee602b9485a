import { useEffect, useRef, useSyncExternalStore, type ReactElement } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Chart } from "./charts.ts";
import { PLOT_HEIGHT, plotData, plotOptions } from "./plot-options.ts";

/** Draws a chart in the available width and the current theme. The legend and the table are its accessible forms. */
export function Plot({
  chart,
  onPoint,
}: {
  readonly chart: Chart;
  /** Called with the hovered bucket. */
  readonly onPoint: (index: number | null) => void;
}): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const theme = useSyncExternalStore(subscribe, shownTheme);
  useEffect(() => {
    const { current: element } = host;
    if (element === null) return;
    const style = getComputedStyle(element);
    const look = {
      width: element.clientWidth,
      font: `11px ${style.fontFamily}`,
      colourOf: (name: string) => style.getPropertyValue(`--color-${name}`),
    };
    const plot = new uPlot(plotOptions(chart, { ...look, onPoint }), plotData(chart), element);
    const resizing = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: PLOT_HEIGHT });
    });
    resizing.observe(element);
    return () => {
      resizing.disconnect();
      plot.destroy();
      onPoint(null);
    };
  }, [chart, theme, onPoint]);
  return <div ref={host} aria-hidden="true" className="h-44 min-w-0 overflow-hidden" />;
}

function shownTheme(): string | undefined {
  return document.documentElement.dataset["theme"];
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
