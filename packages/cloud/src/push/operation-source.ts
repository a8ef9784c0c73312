import type { Kernel } from "@ledge/kernel";
import { operationObject } from "../graph/operation-object.ts";
import { type Operation, operationEvents } from "../model/operation.ts";
import type { CloudStates } from "../model/states.ts";
import { PushMessage } from "./pushes.ts";
import type { Item, Source } from "./source.ts";

export interface OperationParts {
  readonly kernel: Pick<Kernel<CloudStates>, "get" | "subscribe">;
  /** Returns whether a user may read an operation. */
  readonly mayRead: (user: string, operation: Operation) => boolean;
}

/** An operation: its state. It has one part, itself. */
export class OperationSource implements Source {
  readonly #parts: OperationParts;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  follow(id: string, changed: (item: string) => Promise<void>): () => void {
    return this.#parts.kernel.subscribe({
      published({ events }) {
        if (events.some((event) => event.id === id && operationEvents.has(event.type))) void changed(id);
      },
    });
  }

  async read(id: string): Promise<Item | undefined> {
    return this.#itemOf(id);
  }

  async *snapshot(id: string): AsyncIterable<Item> {
    const item = this.#itemOf(id);
    if (item !== undefined) yield item;
  }

  reads(user: string, id: string): "all" | undefined {
    const operation = this.#parts.kernel.get("operation", id);
    return operation !== undefined && this.#parts.mayRead(user, operation) ? "all" : undefined;
  }

  #itemOf(id: string): Item | undefined {
    const operation = this.#parts.kernel.get("operation", id);
    if (operation === undefined) return undefined;
    const push = { type: "StateOperationPush", operation: operationObject(operation) } as const;
    return { id, message: new PushMessage(push) };
  }
}
