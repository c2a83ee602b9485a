/** A bundle to upload: the whole text or file, or its lines without newlines. */
export type BundleSource = string | Blob | AsyncIterable<string>;

export interface BundleBody {
  readonly content: string | Blob | ReadableStream<Uint8Array>;
  /** Stops the upload: the server has replied. */
  end(): void;
}

export function bundleBody(bundle: BundleSource): BundleBody {
  return typeof bundle === "string" || bundle instanceof Blob
    ? { content: bundle, end: () => {} }
    : streamedBody(bundle[Symbol.asyncIterator]());
}

/** Reads lines only as fast as they are sent. */
function streamedBody(lines: AsyncIterator<string>): BundleBody {
  const encoder = new TextEncoder();
  let isOver = false;
  let end = (): void => {};
  const leave = (): void => {
    isOver = true;
    void lines.return?.().then(undefined, () => {});
  };
  const content = new ReadableStream<Uint8Array>({
    start(controller) {
      end = () => {
        if (isOver) return;
        leave();
        controller.close();
      };
    },
    async pull(controller) {
      const next = await lines.next().catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      if (isOver) return;
      if (next.done !== true) return controller.enqueue(encoder.encode(`${next.value}\n`));
      isOver = true;
      controller.close();
    },
    cancel: leave,
  });
  return { content, end: () => end() };
}
