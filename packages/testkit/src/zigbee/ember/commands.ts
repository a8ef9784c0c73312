import type { ByteReader, ByteWriter } from "../bytes.ts";
import { wire } from "../bytes.ts";
import type { EmberMemory } from "./memory.ts";
import type { Callback, EmberRadio } from "./radio.ts";

/** The parts of a stick that commands work on. */
export interface EmberParts {
  readonly memory: EmberMemory;
  readonly radio: EmberRadio;
  /** Sends a callback to the host. */
  readonly tell: Callback;
  /** Runs work after the response was sent. */
  readonly afterwards: (work: () => void) => void;
  /** Restarts the firmware. */
  reset(): void;
}

/** Carries out a command and returns the parameters of its response. */
export type Command = (stick: EmberParts, request: ByteReader) => ByteWriter;

/** Commands by frame id. */
export type Commands = Readonly<Record<number, Command>>;

/** Returns a response that is only a status of one byte. */
export function answer(status: number): ByteWriter {
  return wire().u8(status);
}
