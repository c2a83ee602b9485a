import { openLoadProcess, type LoadProcess } from "./load-process.ts";
import type {
  ClientKind,
  FromReaders,
  FromSender,
  ReaderFigures,
  SenderFigures,
  ToReaders,
  ToSender,
} from "./load-messages.ts";
import type { SoakPlan } from "./soak-plan.ts";

export interface LoadFigures {
  readonly readers: readonly ReaderFigures[];
  readonly sender: SenderFigures;
}

export interface SoakLoad {
  /** Resolves when each agent has a session with its clients. */
  begin(): Promise<void>;
  figures(): Promise<LoadFigures>;
  /** Stops sending. Resolves when all sessions are checked and deleted, and all clients have disconnected. */
  stop(): Promise<void>;
  /** Rejects if one of the processes exits unexpectedly. */
  readonly lost: Promise<never>;
  /** Ends the processes. */
  close(): Promise<void>;
}

/** The first has one client per session and measures latencies. The others have all further clients. */
const READER_PROCESSES = 3;

/** Starts one sending and several reading processes, and coordinates them for each session. */
export function openSoakLoad(
  plan: SoakPlan,
  { url, repoId }: { readonly url: string; readonly repoId: string },
): SoakLoad {
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => {});
  const onLost = lost.reject;
  const readers = Array.from({ length: READER_PROCESSES }, () =>
    openLoadProcess<ToReaders, FromReaders>("reader-process.ts", { args: [url], onLost }),
  );
  const perSession = plan.sessionClients / plan.sessions - 1;
  let opened = 0;

  const kindsFor = (index: number): readonly ClientKind[] => {
    if (index === 0) return ["steady"];
    const share = perSession / (READER_PROCESSES - 1);
    const count = Math.floor(opened * share + share) - Math.floor(opened * share);
    return kindsOf(count, opened + index);
  };
  const watch = async (sessionId: string): Promise<void> => {
    const kinds = readers.map((_, index) => kindsFor(index));
    opened += 1;
    await Promise.all(
      readers.map((reader, index) =>
        askAbout(reader, {
          message: { type: "watch", sessionId, clients: kinds[index] ?? [] },
          type: "watched",
        }),
      ),
    );
    sender.send({ type: "watched", sessionId });
  };
  const onMessage = (message: FromSender): void => {
    if (message.type === "opened") watch(message.sessionId).catch(lost.reject);
    if (message.type !== "settled") return;
    const { settled } = message;
    Promise.all(
      readers.map((reader) =>
        askAbout(reader, { message: { type: "settled", settled }, type: "left" }),
      ),
    ).then(() => sender.send({ type: "left", sessionId: settled.sessionId }), lost.reject);
  };
  const sender: LoadProcess<ToSender, FromSender> = openLoadProcess("sender-process.ts", {
    args: [url, repoId, JSON.stringify(plan)],
    onMessage,
    onLost,
  });

  return {
    lost: lost.promise,
    begin: async () => {
      const crowd = readers.slice(1);
      for (const [index, reader] of crowd.entries()) {
        const count = share(plan.globalClients, { index, among: crowd.length });
        reader.send({ type: "watch-all", clients: kindsOf(count, 0) });
      }
      await sender.ask({ type: "begin" }, "ready");
    },
    figures: async () => {
      const [senderReply, ...readerReplies] = await Promise.all([
        sender.ask({ type: "figures" }, "figures"),
        ...readers.map((reader) => reader.ask({ type: "figures" }, "figures")),
      ]);
      return { sender: senderReply.figures, readers: readerReplies.map(({ figures }) => figures) };
    },
    stop: async () => {
      await sender.ask({ type: "stop" }, "stopped");
      await Promise.all(readers.map((reader) => reader.ask({ type: "stop" }, "stopped")));
    },
    close: async () => {
      await Promise.all([sender, ...readers].map((each) => each.end()));
    },
  };
}

/** One of ten clients is slow, and two disconnect and reconnect. */
function kindsOf(count: number, from: number): readonly ClientKind[] {
  return Array.from({ length: count }, (_, index): ClientKind => {
    const position = (from + index) % 10;
    if (position === 0) return "slow";
    return position <= 2 ? "returning" : "steady";
  });
}

function share(
  total: number,
  { index, among }: { readonly index: number; readonly among: number },
): number {
  return Math.floor((total * (index + 1)) / among) - Math.floor((total * index) / among);
}

/** Several requests may be open at a time; the reply is the one with the same session ID. */
async function askAbout(
  reader: LoadProcess<ToReaders, FromReaders>,
  {
    message,
    type,
  }: {
    readonly message: Extract<ToReaders, { readonly type: "watch" | "settled" }>;
    readonly type: "watched" | "left";
  },
): Promise<void> {
  const sessionId = message.type === "watch" ? message.sessionId : message.settled.sessionId;
  await reader.ask(message, type, (reply) => "sessionId" in reply && reply.sessionId === sessionId);
}
