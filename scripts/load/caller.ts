// Calls the hub as one client, over one persistent connection.
import { Agent, request } from "node:http";

export interface Called {
  readonly status: number;
  readonly text: string;
  /** From the first byte sent to the last one received. */
  readonly ms: number;
}

/** How long to wait for an answer. */
const patienceMs = 30_000;

/**
 * Returns a different address of this machine for each number, like the clients in a house. The hub limits
 * unknown callers by address.
 */
export function addressOf(number: number): string {
  return `127.${1 + ((number >> 16) & 0x7f)}.${(number >> 8) & 0xff}.${1 + (number % 254)}`;
}

export class Caller {
  readonly #port: number;
  readonly #key: string;
  readonly #agent: Agent;

  constructor(port: number, key: string, number: number) {
    this.#port = port;
    this.#key = key;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: addressOf(number) });
  }

  /**
   * Calls a row.
   * @throws Error of the connection, or when no answer comes.
   */
  call(method: string, path: string, body?: unknown): Promise<Called> {
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(
        {
          agent: this.#agent,
          host: "127.0.0.1",
          port: this.#port,
          method,
          path,
          headers: { authorization: this.#key },
          timeout: patienceMs,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString();
            resolve({ status: response.statusCode ?? 0, text, ms: performance.now() - began });
          });
        },
      );
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer after ${patienceMs} ms`)));
      outgoing.on("error", reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
