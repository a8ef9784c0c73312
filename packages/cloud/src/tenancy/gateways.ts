import type { Kernel } from "@ledge/kernel";
import { gatewayEvents } from "../model/device-register.ts";
import type { CloudStates } from "../model/states.ts";
import { InvertedIndex } from "../process/inverted-index.ts";

/** Finds the registers of tenants in which a hub is a gateway. */
export class Gateways {
  readonly #kernel: Kernel<CloudStates>;
  readonly #registers = new InvertedIndex();
  readonly #end: () => void;

  constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    for (const [id] of kernel.all("deviceRegister")) this.#put(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events) if (gatewayEvents.has(type)) this.#put(id);
      },
    });
  }

  stop(): void {
    this.#end();
  }

  /** Returns the ids of the registers in which a hub is a gateway, beside its own. */
  registersOf(hubId: string): readonly string[] {
    return [...this.#registers.under(hubId)];
  }

  #put(id: string): void {
    this.#registers.put(id, Object.keys(this.#kernel.get("deviceRegister", id)?.gateways ?? {}));
  }
}
