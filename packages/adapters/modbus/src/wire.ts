import { EventEmitter } from "node:events";
import type { ReadRequest, Request } from "./request.ts";

/**
 * An open line in the form that modbus-serial's constructor takes as a port. The library calls `open` and
 * `write` with the frame of a request, CRC included, and listens for `data`, which must be the frame of the
 * answer. Its own ports take a late answer for the next request's and miss `close` after an error, so these
 * pass on only the answer to the pending request.
 */
export abstract class Wire extends EventEmitter<{ data: [frame: Buffer]; close: [] }> {
  abstract readonly isOpen: boolean;

  /** Called by the library: sends a frame. */
  abstract write(frame: Buffer): void;

  /** Announces the request of the next frame. */
  abstract expect(unit: number, request: Request): void;

  /** Stops waiting for the answer to the last request. */
  abstract giveUp(): void;

  // As in Connection.
  abstract probeBefore(unit: number, request: Request): ReadRequest | undefined;
  abstract transmissionMs(request: Request): number;
  abstract restMs(): number;

  /** Closes the line. Emits `close` if it was open. */
  abstract destroy(): Promise<void>;

  /** Called by the library: the line is already open. */
  open(opened: (error: null) => void): void {
    opened(null);
  }
}
