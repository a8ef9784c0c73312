import type { Socket } from "node:net";
import type { AdapterClock } from "@ledge/port";
import { connectTcp } from "@ledge/serial";
import { takeMessages, toMessage } from "./mbap.ts";
import { withCrc } from "./rtu-frames.ts";
import type { TcpTransport } from "./settings.ts";
import { Wire } from "./wire.ts";

/**
 * Connects to a TCP server.
 * @param signal aborts the attempt.
 * @throws Error with the reason
 */
export async function openTcp(
  transport: TcpTransport,
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Wire> {
  return new TcpWire(await connectTcp(transport, clock, signal));
}

/** Each request carries a 16-bit number that its answer repeats: an answer with another number is late. */
class TcpWire extends Wire {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #transaction = 0;
  #awaited: number | undefined;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.once("close", () => this.emit("close"));
  }

  override get isOpen(): boolean {
    return this.#socket.readyState === "open";
  }

  override write(frame: Buffer): void {
    this.#transaction = (this.#transaction + 1) & 0xffff;
    this.#awaited = this.#transaction;
    this.#socket.write(toMessage({ transaction: this.#transaction, bytes: frame.subarray(0, -2) }));
  }

  override expect(): void {}

  override giveUp(): void {
    this.#awaited = undefined;
  }

  override probeBefore(): undefined {}

  override transmissionMs(): number {
    return 0;
  }

  override restMs(): number {
    return 0;
  }

  override destroy(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#socket.closed) resolve();
      else this.#socket.once("close", () => resolve());
    });
    this.#socket.destroy();
    return closed;
  }

  #take(bytes: Buffer): void {
    const { messages, rest } = takeMessages(Buffer.concat([this.#received, bytes]));
    for (const { transaction, bytes: answer } of messages) {
      if (transaction !== this.#awaited) continue;
      this.#awaited = undefined;
      this.emit("data", withCrc(answer));
    }
    if (rest === undefined) this.#socket.destroy();
    else this.#received = rest;
  }
}
