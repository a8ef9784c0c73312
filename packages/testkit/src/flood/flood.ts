import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** What a flood has done so far: connections that it has opened, and those that have ended. */
export interface Flooded {
  readonly opened: number;
  readonly closed: number;
}

/** One address that keeps many connections open, from a process of its own. */
export class Flood {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * Resolves once it has opened so many. What is closed comes again, for as long as it runs.
   * @param address of the server; https: what is begun is a handshake
   * @param what `head`: each has sent a part of a request's head; `whole`: each has asked once and asks no more
   * @param perSecond how many come again at most
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
