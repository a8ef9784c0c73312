import type { Kernel } from "@ledge/kernel";
import type { Operation } from "../model/operation.ts";
import type { CloudStates } from "../model/states.ts";
import { InvertedIndex } from "../process/inverted-index.ts";

/** Index of operations by the account that started them and by each id that they are about. */
export class OperationIndex {
  readonly #kernel: Kernel<CloudStates>;
  readonly #byOwner = new InvertedIndex();
  readonly #byTarget = new InvertedIndex();
  readonly #end: () => void;

  constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    for (const [id] of kernel.all("operation")) this.#put(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events)
          if (type === "OperationStarted" || type === "OperationDropped") this.#put(id);
      },
    });
  }

  /** Returns the operations that an account has started. */
  ofOwner(account: string): Operation[] {
    return this.#among(this.#byOwner.under(account));
  }

  /** Returns the operations about an id, such as a hub's. */
  aboutTarget(id: string): Operation[] {
    return this.#among(this.#byTarget.under(id));
  }

  stop(): void {
    this.#end();
  }

  #among(ids: Iterable<string>): Operation[] {
    const found: Operation[] = [];
    for (const id of ids) {
      const operation = this.#kernel.get("operation", id);
      if (operation !== undefined) found.push(operation);
    }
    return found;
  }

  #put(id: string): void {
    const operation = this.#kernel.get("operation", id);
    this.#byOwner.put(id, operation === undefined ? [] : [operation.owner]);
    this.#byTarget.put(id, Object.values(operation?.target ?? {}));
  }
}
