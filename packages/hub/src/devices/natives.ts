import type { Kernel } from "@ledge/kernel";
import type { Binding, LoggedEvent } from "@ledge/model";

const key = (protocol: string, native: string): string => `${protocol}\0${native}`;

/** Maps a protocol's native ids to devices. It follows the bindings as they are published. */
export class Natives {
  readonly #kernel: Kernel;
  readonly #byNative = new Map<string, string>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    for (const [, binding] of kernel.all("binding")) this.#put(binding);
    kernel.subscribe({
      published: ({ events }) => {
        for (const event of events) this.#follow(event);
      },
    });
  }

  /** Returns the binding of a native id, removed devices included; undefined for an unknown id. */
  find(protocol: string, native: string): Binding | undefined {
    const id = this.#byNative.get(key(protocol, native));
    return id === undefined ? undefined : this.#kernel.get("binding", id);
  }

  #follow(event: LoggedEvent): void {
    if (event.type !== "DeviceBound") return;
    const binding = this.#kernel.get("binding", event.id);
    if (binding !== undefined) this.#put(binding);
  }

  #put({ id, protocol, native }: Binding): void {
    this.#byNative.set(key(protocol, native), id);
  }
}
