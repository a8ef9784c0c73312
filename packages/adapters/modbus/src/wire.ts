import { EventEmitter } from "node:events";
import type { ReadRequest, Request } from "./request.ts";

/**
 * An open line in the form in which modbus-serial takes a port (its constructor's argument). It calls `open`,
 * `write` with the frame of a request, CRC included, and listens to `data`, which has to be the frame of the
 * answer. Its own ports let a late answer pass for the next request's and lose `close` after an error, so
 * these here hand it nothing but the answer to the request under way.
 */
export abstract class Wire extends EventEmitter<{ data: [frame: Buffer]; close: [] }> {
  abstract readonly isOpen: boolean;

  /** Of the library's: sends a frame. */
  abstract write(frame: Buffer): void;

  /** Says what the next frame asks. */
  abstract expect(unit: number, request: Request): void;

  /** No answer to the last request is wanted any more. */
  abstract giveUp(): void;

  // As in Connection.
  abstract probeBefore(unit: number, request: Request): ReadRequest | undefined;
  abstract transmissionMs(request: Request): number;
  abstract restMs(): number;

  /** Lets go of the line. `close` is emitted if it was open. */
  abstract destroy(): Promise<void>;

  /** Of the library's: the line is open already. */
  open(opened: (error: null) => void): void {
    opened(null);
  }
}
