import type { Driver } from "zwave-js";

/** The methods of the library that take what the stick says. Nobody waits for them. */
const methods = ["serialport_onData", "handleUnsolicitedMessage"] as const;
type FrameReader = { [Method in (typeof methods)[number]]?: (data: unknown) => Promise<void> };

/**
 * Drops a frame at which the library throws, such as a setpoint in a scale that does not exist, or a level of an
 * endpoint that does not. Without this a device could end the process with one frame.
 * @param dropped called with the error
 */
export function guardFrames(driver: Driver, dropped: (error: Error) => void): void {
  const reader = driver as unknown as FrameReader;
  for (const method of methods) {
    const read = reader[method]?.bind(reader);
    if (read === undefined) throw new Error("the library reads frames in another way");
    reader[method] = async (data) => {
      await read(data).catch((error: unknown) => dropped(error as Error));
    };
  }
}
