import { AdapterError } from "@ledge/port";
import type { Controller, Models } from "zigbee-herdsman";
import { faultOf } from "./fault.ts";

interface Session {
  readonly controller: Controller;
  readonly ended: AbortController;
}

/** The network while it is up. Whatever is under way over it ends with it. */
export class Radio {
  #session: Session | undefined;
  #absence = new AdapterError("unreachable", "the Zigbee network is not up");

  get isUp(): boolean {
    return this.#session !== undefined;
  }

  get controller(): Controller | undefined {
    return this.#session?.controller;
  }

  isOf(controller: Controller): boolean {
    return this.#session?.controller === controller;
  }

  opened(controller: Controller): void {
    this.#session = { controller, ended: new AbortController() };
  }

  /** @param reason with which what is under way ends, and what is asked from now on. */
  closed(reason: AdapterError): void {
    this.#absence = reason;
    const session = this.#session;
    this.#session = undefined;
    session?.ended.abort(reason);
  }

  /** The device of the library's own table; undefined while the network is down, or when it is of none. */
  device(ieee: string): Models.Device | undefined {
    return this.#session?.controller.getDeviceByIeeeAddr(ieee);
  }

  /** All but the coordinator itself. */
  devices(): readonly Models.Device[] {
    const all = this.#session?.controller.getDevicesIterator(({ type }) => type !== "Coordinator");
    return [...(all ?? [])];
  }

  /**
   * Does something over the network.
   * @param signal ends the wait, not what the stick is about to send.
   * @throws AdapterError `cancelled` by the signal; else by what went wrong.
   */
  async use<T>(work: (controller: Controller) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#session;
    if (session === undefined) throw this.#absence;
    const { promise, reject } = Promise.withResolvers<never>();
    const gone = (): void => reject(this.#absence);
    const cancelled = (): void => reject(new AdapterError("cancelled", "nobody waits any more"));
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
