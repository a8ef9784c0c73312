import type { ByteReader, ByteWriter } from "../bytes.ts";
import type { StickRadio } from "./stick-radio.ts";
import type { StickMemory } from "./stick-memory.ts";

/** The parts of a stick that commands work on. */
export interface StickParts {
  readonly memory: StickMemory;
  readonly radio: StickRadio;
  /** Sends an indication to the host, after the answer to the command. */
  indicate(subsystem: number, id: number, data: Uint8Array): void;
  /** Restarts the firmware. */
  reset(): void;
}

/** Carries out a request and returns its response; null when it has none. */
export type Command = (stick: StickParts, request: ByteReader) => ByteWriter | null;

/** The commands of a subsystem, by id. */
export type Commands = Readonly<Record<number, Command>>;
