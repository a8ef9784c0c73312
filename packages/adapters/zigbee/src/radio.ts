import { AdapterError } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";

interface Session {
  readonly controller: Controller;
  /** Ends the waits for the work under way. */
  readonly waits: Set<() => void>;
}

/** Access to the network while it is up. Pending work ends with it. */
export class Radio {
  #session: Session | undefined;
  #absence = new AdapterError("unreachable", "the Zigbee network is not up");

  get isUp(): boolean {
    return this.#session !== undefined;
  }

  get controller(): Controller | undefined {
    return this.#session?.controller;
  }

  /** @throws AdapterError with the cause while the network is down */
  assertUp(): void {
    if (this.#session === undefined) throw this.#absence;
  }

  isOf(controller: Controller): boolean {
    return this.#session?.controller === controller;
  }

  opened(controller: Controller): void {
    this.#session = { controller, waits: new Set() };
  }

  /** @param reason the error of pending and later work. */
  closed(reason: AdapterError): void {
    this.#absence = reason;
    const session = this.#session;
    this.#session = undefined;
    for (const end of session?.waits ?? []) end();
  }

  /** Returns a device of the library's table; undefined for an unknown one, or while the network is down. */
  device(ieee: string): Models.Device | undefined {
    return this.#session?.controller.getDeviceByIeeeAddr(ieee);
  }

  /** Returns all devices except the coordinator. */
  devices(): readonly Models.Device[] {
    const all = this.#session?.controller.getDevicesIterator(({ type }) => type !== "Coordinator");
    return [...(all ?? [])];
  }

  /**
   * Runs work on the network.
   * @param signal ends the wait, but not what the stick is about to send.
   * @throws AdapterError `cancelled` by the signal; otherwise by the cause.
   */
  use<T>(work: (controller: Controller) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#session;
    if (session === undefined) return Promise.reject(this.#absence);
    if (signal?.aborted === true) return Promise.reject(cancelled());
    return new Promise<T>((resolve, reject) => {
      const gone = (): void => end(() => reject(this.#absence));
      const given = (): void => end(() => reject(cancelled()));
      const end = (settle: () => void): void => {
        session.waits.delete(gone);
        signal?.removeEventListener("abort", given);
        settle();
      };
      // The work comes first: its frame is what a person waits for.
      const working = (async () => await work(session.controller))();
      session.waits.add(gone);
      signal?.addEventListener("abort", given, { once: true });
      working.then(
        (value) => end(() => resolve(value)),
        (error: unknown) => end(() => reject(faultOf(error))),
      );
    });
  }
}

/** Returns the error of work whose caller has cancelled it. */
export function cancelled(): AdapterError {
  return new AdapterError("cancelled", "the caller no longer waits");
}
