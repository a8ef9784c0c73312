import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** The progress of a flood: how many connections it has opened, and how many of them were closed. */
export interface Flooded {
  readonly opened: number;
  readonly closed: number;
}

/** Keeps many connections from one address open, in a separate process. */
export class Flood {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * Resolves once all connections were opened. Opens closed ones again for as long as it runs.
   * @param address of the server; with https each connection begins a handshake
   * @param what `head`: each connection sends part of a request's head; `whole`: each sends one request and stays
   *   idle
   * @param perSecond how many closed connections to open again at most
   */
  static async start(
    address: string,
    count: number,
    what: "head" | "whole" = "head",
    perSecond: number = 200,
  ): Promise<Flood> {
    const program = new URL("flood-child.ts", import.meta.url);
    const child = fork(program, [address, String(count), what, String(perSecond / 100)]);
    await once(child, "message");
    return new Flood(child);
  }

  async stop(): Promise<Flooded> {
    const told = once(this.#child, "message");
    this.#child.send("tell");
    const [flooded] = (await told) as [Flooded];
    const ended = once(this.#child, "close");
    this.#child.kill();
    await ended;
    return flooded;
  }
}
