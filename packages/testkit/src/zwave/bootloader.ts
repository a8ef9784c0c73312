import { CRC16_CCITT } from "@zwave-js/core";
import { isGeckoImage, versionIn } from "./gecko-image.ts";

/** The bytes of XMODEM with checksums of 16 bits. */
const xmodem = { start: 0x01, end: 0x04, ack: 0x06, nak: 0x15, cancel: 0x18, ready: 0x43 } as const;
const dataBytes = 128;
/** Start, the number of the block and its complement, data, and the checksum. */
const blockBytes = 3 + dataBytes + 2;
const readyEveryMs = 1000;
/** How long it waits for more of an upload. */
const silentMs = 3000;
/** How long after it has cancelled an upload it says why. */
const refusedMs = 50;
/** What this bootloader calls a file in another format. */
const wrongFile = "file error 0x12";

const menu = "\r\nGecko Bootloader v2.4.0\r\n1. upload gbl\r\n2. run\r\n3. ebl info\r\nBL > \0";

/** What is around the bootloader. */
interface Board {
  readonly write: (bytes: Uint8Array) => void;
  /** Starts the application. @param version of the image that was uploaded; undefined for the one from before */
  readonly run: (version: string | undefined) => void;
}

/**
 * The bootloader of a stick of the 700 or 800 series on its serial port (Silicon Labs UG489): a menu, and an upload by
 * XMODEM. An upload that is cut leaves the application as it was.
 */
export class Bootloader {
  readonly #board: Board;
  #mode: "off" | "menu" | "upload" | "refusing" = "off";
  #bytes: number[] = [];
  #uploaded: number[] = [];
  #blocks = 0;
  #stopWaiting = (): void => {};
  #version: string | undefined;
  /** Called before a block of an upload is taken, with its number, from 1 on. */
  onBlock: (block: number) => void = () => {};
  /** How many of the next blocks arrive damaged. */
  damages = 0;

  constructor(board: Board) {
    this.#board = board;
  }

  get isOn(): boolean {
    return this.#mode !== "off";
  }

  enter(): void {
    this.#showMenu();
  }

  /** The stick has no power any more: then it starts its application. */
  off(): void {
    this.#mode = "off";
    this.#stopWaiting();
    this.#bytes = [];
  }

  receive(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#mode === "menu") this.#choose(byte);
      else if (this.#mode === "upload") this.#take(byte);
    }
  }

  #choose(byte: number): void {
    const choice = String.fromCharCode(byte);
    if (choice === "1") return this.#begin();
    if (choice !== "2") return this.#showMenu();
    const version = this.#version;
    this.off();
    this.#board.run(version);
  }

  #begin(): void {
    this.#mode = "upload";
    this.#bytes = [];
    this.#uploaded = [];
    this.#blocks = 0;
    this.#say("\r\nbegin upload\r\n\0");
    const ready = (): void => this.#board.write(Uint8Array.of(xmodem.ready));
    const timer = setInterval(ready, readyEveryMs).unref();
    this.#stopWaiting = () => clearInterval(timer);
    ready();
  }

  #take(byte: number): void {
    this.#bytes.push(byte);
    if (this.#bytes[0] === xmodem.end) return this.#end();
    if (this.#bytes[0] !== xmodem.start) this.#bytes = [];
    if (this.#bytes.length < blockBytes) return;
    const block = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    const [, number = 0, complement = 0] = block;
    const data = block.subarray(3, -2);
    const checksum = ((block.at(-2) ?? 0) << 8) | (block.at(-1) ?? 0);
    const isWhole = number + complement === 0xff && CRC16_CCITT(data, 0) === checksum;
    this.onBlock(this.#blocks + 1);
    if (!this.isOn) return;
    const isDamaged = this.damages > 0;
    if (isDamaged) this.damages -= 1;
    if (!isWhole || isDamaged) return this.#board.write(Uint8Array.of(xmodem.nak));
    this.#stopWaiting();
    const timer = setTimeout(() => this.#refuse(), silentMs).unref();
    this.#stopWaiting = () => clearTimeout(timer);
    // A block that its sender repeats is here already.
    if (number === ((this.#blocks + 1) & 0xff)) {
      this.#blocks += 1;
      this.#uploaded.push(...data);
    }
    if (!isGeckoImage(this.#uploaded)) {
      this.#stopWaiting();
      this.#mode = "refusing";
      this.#board.write(Uint8Array.of(xmodem.cancel));
      setTimeout(() => this.#refuse(), refusedMs).unref();
      return;
    }
    this.#board.write(Uint8Array.of(xmodem.ack));
  }

  #refuse(): void {
    if (!this.isOn) return;
    this.#say(`\r\nSerial upload aborted\r\n${wrongFile}\r\n\0`);
    this.#showMenu();
  }

  #end(): void {
    this.#board.write(Uint8Array.of(xmodem.ack));
    this.#version = versionIn(Uint8Array.from(this.#uploaded));
    this.#say("\r\nSerial upload complete\r\n\0");
    this.#showMenu();
  }

  #showMenu(): void {
    this.#stopWaiting();
    this.#mode = "menu";
    this.#bytes = [];
    this.#say(menu);
  }

  #say(text: string): void {
    this.#board.write(Buffer.from(text, "latin1"));
  }
}
