import type { ByteReader, ByteWriter } from "./bytes.ts";
import type { StickRadio } from "./stick-radio.ts";
import type { StickMemory } from "./stick-memory.ts";

/** What a command has to do with. */
export interface StickParts {
  readonly memory: StickMemory;
  readonly radio: StickRadio;
  /** Tells the host something, after the answer to the command. */
  indicate(subsystem: number, id: number, data: Uint8Array): void;
  /** Starts the firmware again. */
  reset(): void;
}

/** Carries out a request and answers its response; null where it has none. */
export type Command = (stick: StickParts, request: ByteReader) => ByteWriter | null;

/** By id, the commands of a subsystem. */
export type Commands = Readonly<Record<number, Command>>;
