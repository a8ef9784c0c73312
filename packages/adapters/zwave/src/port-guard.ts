import type { Driver } from "zwave-js";

interface OfLibrary {
  readonly wasDestroyed: boolean;
  handleSerialPortClosedUnexpectedly(): Promise<void>;
  mayRecoverUnresponsiveController(): boolean;
}

/**
 * Ends a driver whose port is gone. The library would open it again a second later and go on with what it knows of the
 * network, although another stick may be in the port by then. A driver that has ended leaves its stick alone: the library
 * would try for 40 seconds to reset the stick that did not answer its last command.
 * @throws Error when the library has changed
 */
export function guardPort(driver: Driver, gone: () => void): void {
  const library = driver as unknown as OfLibrary;
  if (typeof library.handleSerialPortClosedUnexpectedly !== "function")
    throw new Error("zwave-js does not say any more that a port is gone");
  library.handleSerialPortClosedUnexpectedly = async () => gone();
  const mayRecover = library.mayRecoverUnresponsiveController?.bind(library);
  if (mayRecover === undefined) throw new Error("zwave-js resets sticks in another way");
  library.mayRecoverUnresponsiveController = () => !library.wasDestroyed && mayRecover();
}
