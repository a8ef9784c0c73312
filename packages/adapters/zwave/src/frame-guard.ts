import type { Driver } from "zwave-js";

/** The method of the library that takes each frame of the stick. Nobody waits for it. */
interface FrameReader {
  serialport_onData?: (data: unknown) => Promise<void>;
}

/**
 * Drops a frame at which the library throws, such as a setpoint in a scale that does not exist. Without this a device could
 * end the process with one frame.
 * @param dropped called with the error
 */
export function guardFrames(driver: Driver, dropped: (error: Error) => void): void {
  const reader = driver as unknown as FrameReader;
  const read = reader.serialport_onData?.bind(reader);
  if (read === undefined) throw new Error("the library reads frames in another way");
  reader.serialport_onData = async (data) => {
    await read(data).catch((error: unknown) => dropped(error as Error));
  };
}
