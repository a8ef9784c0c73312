// Where a receiver's program leaves what it hears: as lines in a file, or for a TCP client.
import { type FileHandle, open } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { type AdapterClock, reopenDelay } from "@ledge/port";

/** Delivers the lines of a receiver. It goes on for as long as it takes. */
export interface LineSource {
  start(events: LineEvents): void;
  stop(): Promise<void>;
}

export interface LineEvents {
  readonly onLine: (line: string) => void;
  /** Called when the source appears, and with a reason when it goes or cannot be opened. */
  readonly onChange: (isUp: boolean, reason: string) => void;
}

/** A file that grows, or a program that serves clients. */
export type LinePlace =
  | { readonly type: "file"; readonly path: string }
  | { readonly type: "tcp"; readonly host: string; readonly port: number };

/** No receiver says as much in one line. */
const longestLine = 4096;
/** The longest wait before a receiver is connected again. */
const reopenMostMs = 60_000;
const fileEveryMs = 500;
const chunkBytes = 65_536;

/** Makes the source of a receiver. @param random 0..1, spreads reconnections */
export function lineSource(settings: LinePlace, clock: AdapterClock, random: () => number): LineSource {
  return settings.type === "file"
    ? new FileSource(settings.path, clock)
    : new TcpSource(settings, clock, random);
}

/** Cuts text into lines. Drops a line that is too long. */
export class Lines {
  #rest = "";
  #isCut: boolean;

  /** @param isCut whether the start of the first line is missing, so that it is dropped */
  constructor(isCut = false) {
    this.#isCut = isCut;
  }

  push(text: string, onLine: (line: string) => void): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-longestLine - 1);
    for (const line of lines) {
      if (!this.#isCut && line.length <= longestLine) onLine(line);
      this.#isCut = false;
    }
  }
}

/**
 * Follows a file that grows. What stands in it at the start is old: meters said it before. A file that comes later or
 * shrinks is read from its start.
 */
class FileSource implements LineSource {
  readonly #path: string;
  readonly #clock: AdapterClock;
  /** undefined until it is known whether there is a file at the start. */
  #at: number | undefined;
  #lines = new Lines();
  #isUp: boolean | undefined;
  #stopTimer: () => void = () => {};
  #reading: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(path: string, clock: AdapterClock) {
    this.#path = path;
    this.#clock = clock;
  }

  start(events: LineEvents): void {
    this.#reading = this.#look(events);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    await this.#reading;
  }

  async #look(events: LineEvents): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.#path, "r");
      const { size } = await file.stat();
      const at = this.#begin(size);
      this.#tell(events, true, "");
      await this.#read(file, at, size, events);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") this.#at = 0;
      this.#tell(events, false, (error as Error).message);
    } finally {
      await file?.close();
    }
    if (this.#isStopped) return;
    this.#stopTimer = this.#clock.after(fileEveryMs, () => {
      this.#reading = this.#look(events);
    });
  }

  /** Returns where to go on in a file of a size. */
  #begin(size: number): number {
    if (this.#at === undefined) {
      // From the last byte on, so that a line of which the start is missing is dropped with it.
      this.#at = Math.max(0, size - 1);
      this.#lines = new Lines(size > 0);
    }
    if (size < this.#at) {
      this.#at = 0;
      this.#lines = new Lines();
    }
    return this.#at;
  }

  async #read(file: FileHandle, begin: number, size: number, { onLine }: LineEvents): Promise<void> {
    const buffer = Buffer.alloc(chunkBytes);
    for (let at = begin; at < size && !this.#isStopped;) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      this.#at = at;
      this.#lines.push(buffer.toString("latin1", 0, bytesRead), (line) => this.#isStopped || onLine(line));
    }
  }

  #tell({ onChange }: LineEvents, isUp: boolean, reason: string): void {
    if (this.#isUp === isUp || this.#isStopped) return;
    this.#isUp = isUp;
    onChange(isUp, reason);
  }
}

/** Reads what a program serves over TCP. */
class TcpSource implements LineSource {
  readonly #settings: { readonly host: string; readonly port: number };
  readonly #clock: AdapterClock;
  readonly #random: () => number;
  #socket: Socket | undefined;
  #attempt = 0;
  #isStopped = false;
  #stopTimer: () => void = () => {};

  constructor(
    settings: { readonly host: string; readonly port: number },
    clock: AdapterClock,
    random: () => number,
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#random = random;
  }

  start(events: LineEvents): void {
    const { host, port } = this.#settings;
    const socket = connect({ host, port, keepAlive: true, keepAliveInitialDelay: 30_000 });
    const lines = new Lines();
    let reason = "the receiver has closed the connection";
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("error", (error) => {
      reason = error.message;
    });
    socket.on("connect", () => {
      this.#attempt = 0;
      events.onChange(true, "");
    });
    socket.on("data", (text) => lines.push(String(text), events.onLine));
    socket.on("close", () => {
      if (this.#isStopped) return;
      events.onChange(false, reason);
      this.#stopTimer = this.#clock.after(reopenDelay(this.#attempt, this.#random(), reopenMostMs), () =>
        this.start(events),
      );
      this.#attempt += 1;
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopTimer();
    this.#socket?.destroy();
  }
}
