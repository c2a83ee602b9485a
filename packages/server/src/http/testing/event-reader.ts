import {
  parseFeedEvent,
  wholeSessionSchema,
  type FeedEvent,
  type Message,
  type WholeSession,
} from "@holdfast/protocol";

/** A client that applies events as documented. Its result must equal the data of GET. */
export class EventReader {
  readonly #url: string;
  readonly #sessionId: string;
  readonly events: FeedEvent[] = [];
  readonly positions: number[] = [];
  readonly #messages = new Map<string, Message>();
  session: unknown = null;
  lastEventId: string | null;

  constructor(url: string, sessionId: string, lastEventId: string | null = null) {
    this.#url = url;
    this.#sessionId = sessionId;
    this.lastEventId = lastEventId;
  }

  /** Starts with the data of GET. */
  static async from(url: string, sessionId: string): Promise<EventReader> {
    const whole = await readWhole(url, sessionId);
    const reader = new EventReader(url, sessionId, whole.lastEventId);
    for (const message of whole.messages) reader.#messages.set(message.id, message);
    reader.session = sessionIn(whole);
    return reader;
  }

  /** Reads until `isEnough`, then disconnects. Returns true if the server ended the stream before. */
  async read(isEnough: (reader: EventReader) => boolean): Promise<boolean> {
    const hangUp = new AbortController();
    const headers = this.lastEventId === null ? {} : { "last-event-id": this.lastEventId };
    const response = await fetch(`${this.#url}/api/sessions/${this.#sessionId}/events`, {
      headers,
      signal: hangUp.signal,
    });
    if (response.body === null || !response.ok) throw new Error(`answered ${response.status}`);
    let text = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream())) {
      text += part;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        this.#take(frame);
        if (!isEnough(this)) continue;
        hangUp.abort();
        return false;
      }
    }
    return true;
  }

  get messages(): readonly Message[] {
    return [...this.#messages.values()].toSorted((left, right) => left.seq - right.seq);
  }

  #take(frame: string): void {
    const field = (name: string): string | undefined =>
      new RegExp(`^${name}: (.*)$`, "mu").exec(frame)?.[1];
    const name = field("event");
    if (name === undefined) return;
    const event = parseFeedEvent(name, JSON.parse(field("data") ?? ""));
    if (event === null) throw new Error(`unknown event: ${name}`);
    this.#apply(event);
    this.events.push(event);
    const id = field("id");
    if (id === undefined) return;
    this.lastEventId = id;
    this.positions.push(Number(id));
  }

  #apply(event: FeedEvent): void {
    if (event.type === "session") this.session = event.data;
    if (event.type === "message") this.#messages.set(event.data.id, event.data);
    if (event.type !== "delta") return;
    const message = this.#messages.get(event.data.messageId);
    if (message === undefined) throw new Error("text for a message that was not sent");
    const content = { ...message.content, text: String(message.content["text"]) + event.data.text };
    this.#messages.set(message.id, { ...message, content });
  }
}

export async function readWhole(url: string, sessionId: string): Promise<WholeSession> {
  const response = await fetch(`${url}/api/sessions/${sessionId}`);
  return wholeSessionSchema.strict().parse(await response.json());
}

export function sessionIn(whole: WholeSession) {
  const {
    repo: _,
    messages: __,
    earlier: ___,
    rewoundRuns: ____,
    lastEventId: _____,
    ...session
  } = whole;
  return session;
}
