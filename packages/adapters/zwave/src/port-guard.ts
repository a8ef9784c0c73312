import type { Driver } from "zwave-js";

interface OfLibrary {
  handleSerialPortClosedUnexpectedly(): Promise<void>;
}

/**
 * Ends a driver whose port is gone. The library would open it again a second later and go on with what it knows of the
 * network, although another stick may be in the port by then.
 * @throws Error when the library has changed
 */
export function guardPort(driver: Driver, gone: () => void): void {
  const library = driver as unknown as OfLibrary;
  if (typeof library.handleSerialPortClosedUnexpectedly !== "function")
    throw new Error("zwave-js does not say any more that a port is gone");
  library.handleSerialPortClosedUnexpectedly = async () => gone();
}
