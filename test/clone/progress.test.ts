import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { root } from "../architecture/read-sources.ts";

interface Stream {
  readonly isTTY: boolean;
  write(text: string): void;
}

type ShowProgress = <Result>(
  title: string,
  work: (show: (words: string) => void) => Promise<Result>,
  stream: Stream,
) => Promise<Result>;

const file = pathToFileURL(path.join(root, "scripts/prepare/progress.mjs")).href;
const { showProgress } = (await import(file)) as { readonly showProgress: ShowProgress };

function recordedStream({ isTTY }: { readonly isTTY: boolean }) {
  const written: string[] = [];
  return { isTTY, write: (text: string) => void written.push(text), written };
}

describe("the progress of an install or a build", () => {
  it("has a line at the start and one at the end, with details and seconds", async () => {
    const stream = recordedStream({ isTTY: false });
    const result = await showProgress(
      "Installing",
      async (show) => (show("3 packages"), 7),
      stream,
    );
    expect(result).toBe(7);
    expect(stream.written).toEqual([
      "Installing: 0 s\n",
      expect.stringMatching(/^Installing: done, 3 packages, \d+ s\n$/u),
    ]);
  });

  it("on a terminal is one line that changes while the work goes on", async () => {
    const stream = recordedStream({ isTTY: true });
    const work = async () => {
      await expect.poll(() => stream.written.length).toBeGreaterThan(2);
    };
    await showProgress("Building", work, stream);
    expect(
      stream.written.slice(0, -1).every((text) => text.startsWith("\r\u001B[KBuilding: ")),
    ).toBe(true);
    expect(stream.written.at(-1)).toBe("\n");
  });

  it("says that the work failed", async () => {
    const stream = recordedStream({ isTTY: false });
    const work = () => Promise.reject(new Error("no disk"));
    await expect(showProgress("Building", work, stream)).rejects.toThrow("no disk");
    expect(stream.written.at(-1)).toMatch(/^Building: failed, \d+ s\n$/u);
  });
});
