import { AdapterError } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";

interface Session {
  readonly controller: Controller;
  readonly ended: AbortController;
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
    this.#session = { controller, ended: new AbortController() };
  }

  /** @param reason the error of pending and later work. */
  closed(reason: AdapterError): void {
    this.#absence = reason;
    const session = this.#session;
    this.#session = undefined;
    session?.ended.abort(reason);
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
  async use<T>(work: (controller: Controller) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#session;
    if (session === undefined) throw this.#absence;
    const { promise, reject } = Promise.withResolvers<never>();
    const gone = (): void => reject(this.#absence);
    const cancelled = (): void => reject(new AdapterError("cancelled", "the caller no longer waits"));
    session.ended.signal.addEventListener("abort", gone, { once: true });
    signal?.addEventListener("abort", cancelled, { once: true });
    if (signal?.aborted === true) cancelled();
    try {
      return await Promise.race([signal?.aborted === true ? promise : work(session.controller), promise]);
    } catch (error) {
      throw faultOf(error);
    } finally {
      session.ended.signal.removeEventListener("abort", gone);
      signal?.removeEventListener("abort", cancelled);
    }
  }
}
