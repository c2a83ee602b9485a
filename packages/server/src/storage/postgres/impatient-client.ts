import { Socket } from "node:net";
import { Client, type ClientConfig } from "pg";

/** How long a server that was told goodbye may take to hang up. */
const GOODBYE_MS = 500;

/** On a network that went silent, the driver's own would wait for ever: for an answer, and to be told that all was over. */
export class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const query = this.query.bind(this);
    // A connection is given up with the query it has not answered: a rollback after it would wait as long again.
    const giveUp = (error: unknown): never => {
      if (error instanceof Error && error.message === "Query read timeout") this.#cut();
      throw error;
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of its many forms, those that return a promise are looked at
    this.query = ((...args: Parameters<typeof query>) => {
      const answer: unknown = query(...args);
      return answer instanceof Promise ? answer.catch(giveUp) : answer;
    }) as typeof this.query;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    const late = setTimeout(() => this.#cut(), GOODBYE_MS).unref();
    this.once("end", () => clearTimeout(late));
    return callback === undefined ? super.end() : super.end(callback);
  }

  #cut(): void {
    const connection: unknown = Reflect.get(this, "connection");
    if (typeof connection !== "object" || connection === null || !("stream" in connection)) return;
    if (connection.stream instanceof Socket) connection.stream.destroy();
  }
}
