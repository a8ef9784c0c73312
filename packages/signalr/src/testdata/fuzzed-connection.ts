// Sends frames to a hub, and compares what it does with what the readers of both encodings say of the same bytes.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { JsonHubProtocol, NullLogger } from "@microsoft/signalr";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import { WebSocket } from "ws";
import { jsonCodec } from "../protocol/json.ts";
import { messagePackCodec } from "../protocol/messagepack.ts";
import { type ClientMessage, ProtocolError } from "../protocol/messages.ts";
import { packed, readLimits, records } from "../protocol/test-wire.ts";
import { type Chance, mutatedFrame, mutatedHandshake } from "./mutated-frames.ts";

/** What a hub did with a frame. */
export type FrameOutcome = "read" | "waits" | "refused" | "closed" | "lost";

export interface TriedFrame {
  readonly outcome: FrameOutcome;
  /** What was sent, in a line. */
  readonly shown: string;
  readonly problems: readonly string[];
}

/** What the readers say of bytes. */
interface Reading {
  readonly messages: readonly ClientMessage[];
  /** Why they stop. */
  readonly error: string | undefined;
}

const shownBytes = 300;
/** How long (ms) a hub may take for a frame: far longer than it needs on a busy machine. */
const patienceMs = 60_000;
/** How many frames one connection gets at most. */
const framesEach = 200;
/** How often to ask for the number of connections, and how long (ms) to wait in between. */
const countsMax = 1000;
const countRestMs = 20;

/** One connection after the other to a hub whose methods are those of `fuzzedHub`. */
export class FuzzedConnection {
  readonly #url: string;
  readonly #isBinary: boolean;
  #webSocket: WebSocket | undefined;
  #received: unknown[] = [];
  #unreadable: string | undefined;
  #frames = 0;
  #changed: () => void = () => {};

  constructor(url: string, isBinary: boolean) {
    this.#url = url;
    this.#isBinary = isBinary;
  }

  /** Sends a frame and, behind it, a call that shows whether the hub still reads. */
  async try(random: Chance, number: number): Promise<TriedFrame> {
    if (random.chance(0.02)) return this.#tryHandshake(random);
    const { kind, bytes } = mutatedFrame(random, this.#isBinary, `f${number}`);
    const probe = this.#call(`p${number}`, "here");
    const all = Buffer.concat([bytes, probe]);
    const expected = readingOf(this.#isBinary, [all]);
    const problems = problemsOfReading(expected);
    const pieces = split(all, random);
    const inPieces = readingOf(this.#isBinary, pieces);
    if (JSON.stringify(inPieces) !== JSON.stringify(expected)) problems.push("is read otherwise in pieces");
    if (this.#frames >= framesEach) this.end();
    this.#webSocket ??= await this.#open();
    this.#frames++;
    for (const piece of pieces) this.#webSocket.send(piece);
    const outcome = await this.#outcome(expected, `p${number}`);
    problems.push(...this.#problems(outcome, expected));
    if (outcome !== "read") this.end();
    this.#received = [];
    return { outcome, problems, shown: shownOf(this.#isBinary, kind, bytes) };
  }

  /** Asks the hub on a new connection how many it has, until it has no other. Returns how many in the end. */
  async countOfAll(): Promise<number> {
    this.end();
    this.#webSocket = await this.#open();
    let count = NaN;
    for (let asked = 0; count !== 1 && asked < countsMax; asked++) {
      const id = `c${asked}`;
      this.#webSocket.send(this.#call(id, "connections"));
      await this.#until(() => this.#received.some((message) => idOf(message) === id));
      count = Number((this.#received.at(-1) as { result?: unknown }).result);
      await sleep(countRestMs);
    }
    this.end();
    return count;
  }

  /** Ends the present connection. */
  end(): void {
    this.#webSocket?.terminate();
    this.#webSocket = undefined;
    this.#received = [];
    this.#unreadable = undefined;
    this.#frames = 0;
  }

  async #tryHandshake(random: Chance): Promise<TriedFrame> {
    this.end();
    const { kind, bytes } = mutatedHandshake(random, this.#isBinary);
    const webSocket = new WebSocket(this.#url, { perMessageDeflate: false });
    webSocket.on("error", () => {});
    await once(webSocket, "open");
    webSocket.send(bytes);
    webSocket.ping();
    const outcome = await new Promise<FrameOutcome>((resolve) => {
      webSocket.once("pong", () => resolve("waits"));
      webSocket.once("close", () => resolve("refused"));
    });
    webSocket.terminate();
    return { outcome, problems: [], shown: shownOf(this.#isBinary, kind, bytes) };
  }

  #call(invocationId: string, target: string): Uint8Array {
    if (this.#isBinary) return packed([1, {}, invocationId, target, [], []]);
    return records(JSON.stringify({ type: 1, invocationId, target, arguments: [] }));
  }

  async #open(): Promise<WebSocket> {
    const webSocket = new WebSocket(this.#url, { perMessageDeflate: false });
    webSocket.on("error", () => {});
    webSocket.on("close", () => this.#changed());
    await once(webSocket, "open");
    const protocol = this.#isBinary ? "messagepack" : "json";
    webSocket.send(`${JSON.stringify({ protocol, version: 1 })}\x1e`);
    await once(webSocket, "message");
    webSocket.on("message", (data: Buffer) => this.#take(data));
    return webSocket;
  }

  #take(data: Buffer): void {
    try {
      this.#received.push(...readAsClient(this.#isBinary, data));
    } catch (error) {
      this.#unreadable ??= String(error);
    }
    this.#changed();
  }

  /** Waits for what is expected, or for the end of the connection. */
  async #outcome({ messages, error }: Reading, probe: string): Promise<FrameOutcome> {
    const isAnswered = (): boolean => this.#received.some((message) => idOf(message) === probe);
    const webSocket = this.#webSocket;
    const isClosed = (): boolean => webSocket?.readyState !== WebSocket.OPEN;
    const isRead = messages.some((message) => "invocationId" in message && message.invocationId === probe);
    if (isRead || error !== undefined || messages.some(({ type }) => type === 7)) {
      const isDone = await this.#until(() => isAnswered() || isClosed());
      if (!isDone) return "lost";
    } else {
      webSocket?.ping();
      let isPonged = false;
      webSocket?.once("pong", () => {
        isPonged = true;
        this.#changed();
      });
      if (!(await this.#until(() => isPonged || isClosed()))) return "lost";
    }
    if (!isClosed()) return isAnswered() ? "read" : "waits";
    return this.#goodbye() === undefined ? "closed" : "refused";
  }

  /** Resolves to whether something holds in time. */
  async #until(holds: () => boolean): Promise<boolean> {
    const deadline = performance.now() + patienceMs;
    while (!holds()) {
      if (performance.now() >= deadline) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }

  /** The error with which the hub has ended the connection. */
  #goodbye(): string | undefined {
    const close = this.#received.find((message) => (message as { type?: unknown }).type === 7);
    return (close as { error?: string } | undefined)?.error;
  }

  #problems(outcome: FrameOutcome, { messages, error }: Reading): readonly string[] {
    if (this.#unreadable !== undefined) return [`the hub's answer is unreadable: ${this.#unreadable}`];
    if (outcome === "lost") return ["no answer"];
    const said = this.#goodbye();
    if (outcome === "refused") {
      if (said === error) return [];
      const isReuse = said === "an invocation id is used twice" && messages.some(isCall);
      return isReuse ? [] : [`ended with: ${said}; the reader says: ${error ?? "nothing is wrong"}`];
    }
    const isEnd = messages.some(({ type }) => type === 7);
    if (outcome === "closed") return isEnd ? [] : ["ended without a word"];
    return error === undefined || isEnd ? [] : [`went on, though the reader says: ${error}`];
  }
}

function isCall({ type }: ClientMessage): boolean {
  return type === 1 || type === 4;
}

function idOf(message: unknown): unknown {
  return (message as { invocationId?: unknown }).invocationId;
}

/** Reads as a client of Microsoft's does. It throws where that would end the connection. */
function readAsClient(isBinary: boolean, data: Buffer): readonly unknown[] {
  if (!isBinary) return new JsonHubProtocol().parseMessages(data.toString(), NullLogger.instance);
  const copy = new Uint8Array(data);
  return new MessagePackHubProtocol().parseMessages(copy.buffer, NullLogger.instance);
}

/** Reads pieces of bytes. @throws what a reader throws beside ProtocolError: a fault of it */
function readingOf(isBinary: boolean, pieces: readonly Uint8Array[]): Reading {
  const reader = (isBinary ? messagePackCodec : jsonCodec).reader(readLimits);
  const messages: ClientMessage[] = [];
  try {
    for (const piece of pieces) {
      reader.push(piece);
      for (let next = reader.next(); next !== undefined; next = reader.next()) messages.push(next);
    }
    return { messages, error: undefined };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { messages, error: error.message };
  }
}

/** What is wrong with messages that were read: nothing in them may harm the code that gets them. */
function problemsOfReading({ messages }: Reading): string[] {
  const problems: string[] = [];
  for (const message of messages) {
    if (!Number.isInteger(message.type) || message.type < 1 || message.type > 9)
      problems.push(`read a message of type ${String(message.type)}`);
    if (isCall(message) && typeof (message as { target: unknown }).target !== "string")
      problems.push("read a call without a target");
    if (depthOf(message) > readLimits.maxDepth + 2) problems.push("read a message that is too deep");
  }
  if (Object.hasOwn(Object.prototype, "a")) problems.push("changed the prototype of all objects");
  return problems;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** One to three pieces. */
function split(bytes: Uint8Array, random: Chance): readonly Uint8Array[] {
  const cuts = Array.from({ length: random.below(3) }, () => random.below(bytes.length)).toSorted(
    (a, b) => a - b,
  );
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
}

function shownOf(isBinary: boolean, kind: string, bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, shownBytes));
  const shown = isBinary ? start.toString("hex") : JSON.stringify(start.toString("latin1"));
  return `${isBinary ? "MessagePack" : "JSON"}, ${kind}, ${bytes.length} bytes: ${shown}`;
}
