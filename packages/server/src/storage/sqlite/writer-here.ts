import { StorageFault } from "../fault.ts";
import type { WriteArgs, WriteName, WriteResult } from "../writes/writes.ts";
import { openWriteBatches, type WriteBatches } from "./write-batches.ts";
import { toError, type SqliteWriter, type WriterOptions } from "./write-protocol.ts";

/** Writes on this thread, one at a time. A command that writes once and exits does not need a thread. */
export function startWriterHere(options: WriterOptions): SqliteWriter {
  let batches: WriteBatches | null = null;
  let last: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | null = null;

  async function run<Name extends WriteName>(
    name: Name,
    args: WriteArgs<Name>,
    durable: boolean,
  ): Promise<WriteResult<Name>> {
    batches ??= openWriteBatches(options);
    const [reply] = await batches.run({ durable, requests: [{ name, args }] });
    batches.afterBatch();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reply to the one request
    if (reply?.ok === true) return reply.value as WriteResult<Name>;
    throw toError(reply);
  }

  return {
    write: (name, args, { durable } = { durable: true }) => {
      if (closing !== null)
        return Promise.reject(new StorageFault("store_closed", "The store is closed."));
      const running = last.then(() => run(name, args, durable));
      last = running.catch(() => {});
      return running;
    },
    read: () => null,
    // A command exits too soon to need this.
    onOutsideWrites: () => {},
    close: () => (closing ??= last.then(() => batches?.close())),
  };
}
