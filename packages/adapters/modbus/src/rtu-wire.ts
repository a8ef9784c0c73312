import type { AdapterClock } from "@ledge/port";
import { connectTcp, openSerial, type SerialFormat } from "@ledge/serial";
import { expectedKey, LateAnswers } from "./late-answers.ts";
import type { ReadRequest, Request } from "./request.ts";
import { answerBytes, functionCode, requestBytes } from "./request.ts";
import { silenceMs, takeAnswers, transmissionMs } from "./rtu-frames.ts";
import type { RtuOverTcpTransport, RtuTransport } from "./settings.ts";
import { Wire } from "./wire.ts";

/**
 * Opens a serial port exclusively.
 * @throws Error with the reason
 */
export async function openRtu(
  transport: RtuTransport,
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Wire> {
  const port = await openSerial(transport, signal);
  return new RtuWire(port, () => port.isOpen, transport, clock);
}

/**
 * Connects to a serial device server, which passes bytes on: frames have a CRC and no numbers, as on the line behind
 * it.
 * @throws Error with the reason
 */
export async function openRtuOverTcp(
  transport: RtuOverTcpTransport,
  clock: AdapterClock,
  signal: AbortSignal,
): Promise<Wire> {
  const socket = await connectTcp(transport, clock, signal);
  const port: BytePort = {
    on: (event, listener) => socket.on(event, listener),
    once: (event, listener) => socket.once(event, listener),
    write: (bytes) => socket.write(bytes),
    close: (closed) => {
      socket.once("close", () => closed());
      socket.destroy();
    },
  };
  return new RtuWire(port, () => socket.readyState === "open", transport, clock);
}

/** What carries the bytes of frames. */
interface BytePort {
  on(event: "data", listener: (bytes: Buffer) => void): unknown;
  once(event: "close", listener: () => void): unknown;
  write(bytes: Buffer): unknown;
  close(closed: () => void): void;
}

interface Awaited {
  readonly unit: number;
  readonly request: Request;
  readonly key: string;
  readonly code: number;
}

class RtuWire extends Wire {
  readonly #port: BytePort;
  readonly #isOpen: () => boolean;
  readonly #format: SerialFormat;
  readonly #clock: AdapterClock;
  readonly #late = new LateAnswers();
  #received: Buffer = Buffer.alloc(0);
  #awaited: Awaited | undefined;
  /** When the last byte came, or a request was last given up, whose answer may be about to start. */
  #lastByteAt = 0;

  constructor(port: BytePort, isOpen: () => boolean, format: SerialFormat, clock: AdapterClock) {
    super();
    this.#port = port;
    this.#isOpen = isOpen;
    this.#format = format;
    this.#clock = clock;
    port.on("data", (bytes: Buffer) => this.#take(bytes));
    port.once("close", () => this.emit("close"));
  }

  override get isOpen(): boolean {
    return this.#isOpen();
  }

  override write(frame: Buffer): void {
    // Remaining bytes belong to no request: noise, or a late answer that broke off.
    this.#received = Buffer.alloc(0);
    this.#port.write(frame);
  }

  override expect(unit: number, request: Request): void {
    this.#awaited = { unit, request, key: expectedKey(request), code: functionCode(request) };
  }

  override giveUp(): void {
    if (this.#awaited === undefined) return;
    const now = this.#clock.now();
    this.#late.owe(this.#awaited.unit, this.#awaited.request, now);
    this.#awaited = undefined;
    this.#lastByteAt = now;
  }

  override probeBefore(unit: number, request: Request): ReadRequest | undefined {
    return this.#late.probeBefore(unit, request, this.#clock.now());
  }

  override transmissionMs(request: Request): number {
    return transmissionMs(requestBytes(request) + answerBytes(request), this.#format);
  }

  override restMs(): number {
    const silence = silenceMs(this.#format);
    const elapsed = this.#clock.now() - this.#lastByteAt;
    return elapsed < 0 ? silence : Math.max(0, silence - elapsed);
  }

  override destroy(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#isOpen()) this.#port.close(() => resolve());
      else resolve();
    });
  }

  #take(bytes: Buffer): void {
    const now = this.#clock.now();
    this.#lastByteAt = now;
    const { answers, rest } = takeAnswers(Buffer.concat([this.#received, bytes]));
    this.#received = rest;
    for (const answer of answers) {
      const unit = answer[0] ?? 0;
      const awaited = this.#awaited?.unit === unit ? this.#awaited : undefined;
      if (!this.#late.accept(unit, answer, awaited, now)) continue;
      this.#awaited = undefined;
      this.emit("data", answer);
    }
  }
}
