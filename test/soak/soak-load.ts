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
  /** Resolves when there is a session for each agent, with its clients. */
  begin(): Promise<void>;
  figures(): Promise<LoadFigures>;
  /** No more messages; resolves when all sessions are checked and deleted, and all clients gone. */
  stop(): Promise<void>;
  /** Rejects when one of the processes is lost. */
  readonly lost: Promise<never>;
  /** Ends the processes. */
  close(): Promise<void>;
}

/** The first of them has one client of each session, and its times count; the others are the crowd. */
const READER_PROCESSES = 3;

/** One process that sends and several that read, brought together over each session they share. */
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
      const [ofSender, ...ofReaders] = await Promise.all([
        sender.ask({ type: "figures" }, "figures"),
        ...readers.map((reader) => reader.ask({ type: "figures" }, "figures")),
      ]);
      return { sender: ofSender.figures, readers: ofReaders.map(({ figures }) => figures) };
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

/** Of ten, one is slow and two come and go. */
function kindsOf(count: number, from: number): readonly ClientKind[] {
  return Array.from({ length: count }, (_, index): ClientKind => {
    const place = (from + index) % 10;
    if (place === 0) return "slow";
    return place <= 2 ? "returning" : "steady";
  });
}

function share(
  total: number,
  { index, among }: { readonly index: number; readonly among: number },
): number {
  return Math.floor((total * (index + 1)) / among) - Math.floor((total * index) / among);
}

/** Several sessions are asked about at a time: the answer is the one with the same id. */
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
