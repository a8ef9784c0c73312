import { type Master, MasterFault } from "@ledge/mbus";
import type { MeterSettings } from "./settings.ts";

/** A line and the port that carries it. */
export interface SpeedyLine {
  readonly master: Master;
  /** The speed of the bus, bits per second. */
  readonly baudRate: number;
  /** Changes the speed of line and port. */
  readonly change: (baudRate: number) => Promise<void>;
}

/**
 * Reads a meter at a speed of its own: tells it to change, reads it, and tells it to come back, so that the bus has one speed
 * for all others.
 * @param read called once both are at that speed
 */
export async function readAtSpeed<Reading>(
  { master, baudRate: usual, change }: SpeedyLine,
  { address, baudRate = usual }: MeterSettings,
  read: () => Promise<Reading>,
  signal?: AbortSignal,
): Promise<Reading> {
  if (baudRate === usual) return await read();
  try {
    await master.setBaudRate(address, baudRate, signal);
  } catch (error) {
    // It may still have its own speed, after a reading that was cut short.
    if (!(error instanceof MasterFault) || error.code !== "silent") throw error;
  }
  await change(baudRate);
  try {
    return await read();
  } finally {
    // A meter that misses this comes back by itself, or is read at its own speed next time.
    await master.setBaudRate(address, usual).catch(() => {});
    await change(usual);
  }
}
