import { Socket } from "node:net";
import { Client, type ClientConfig } from "pg";

/** How long the server may take to close the connection. */
const GOODBYE_MS = 500;

/** The driver's own client would wait forever on a silent network, for a reply and for the end of the connection. */
export class ImpatientClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    const query = this.query.bind(this);
    // A query that timed out closes its connection: a rollback would wait just as long.
    const giveUp = (error: unknown): never => {
      if (error instanceof Error && error.message === "Query read timeout") this.#cut();
      throw error;
    };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the overloads that return a promise matter
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
