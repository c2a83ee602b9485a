import { connect, type Socket } from "node:net";

/** A client that reads when the test wants, and sees every byte. */
export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  received = "";
  #wanted: { readonly text: string; readonly resolve: () => void }[] = [];

  constructor(port: number, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = connect(port, "127.0.0.1");
    const lines = Object.entries({ host: "localhost", ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
    this.socket.on("error", () => {});
    this.socket.on("data", (bytes: Buffer) => {
      this.received += bytes.toString();
      this.#wanted = this.#wanted.filter(({ text, resolve }) => {
        if (this.received.includes(text)) resolve();
        return !this.received.includes(text);
      });
    });
  }

  /** Resolves when this text has arrived. */
  async until(text: string): Promise<void> {
    if (this.received.includes(text)) return;
    await new Promise<void>((resolve) => this.#wanted.push({ text, resolve }));
  }

  get body(): string {
    return this.received.slice(this.received.indexOf("\r\n\r\n") + 4);
  }
}
