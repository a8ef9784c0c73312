import type { Kernel } from "@ledge/kernel";
import type { Operation } from "../model/operation.ts";
import type { CloudStates } from "../model/states.ts";

/** Index of operations by the account that started them and by each id that they are about. */
export class OperationIndex {
  readonly #kernel: Kernel<CloudStates>;
  readonly #byOwner = new Map<string, Set<string>>();
  readonly #byTarget = new Map<string, Set<string>>();
  /** What each is listed under. */
  readonly #listed = new Map<string, Pick<Operation, "owner" | "target">>();
  readonly #end: () => void;

  constructor(kernel: Kernel<CloudStates>) {
    this.#kernel = kernel;
    for (const [id] of kernel.all("operation")) this.#relist(id);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const { type, id } of events)
          if (type === "OperationStarted" || type === "OperationDropped") this.#relist(id);
      },
    });
  }

  /** Returns the operations that an account has started. */
  ofOwner(account: string): Operation[] {
    return this.#among(this.#byOwner.get(account));
  }

  /** Returns the operations about an id, such as a hub's. */
  aboutTarget(id: string): Operation[] {
    return this.#among(this.#byTarget.get(id));
  }

  stop(): void {
    this.#end();
  }

  #among(ids: Iterable<string> = []): Operation[] {
    const found: Operation[] = [];
    for (const id of ids) {
      const operation = this.#kernel.get("operation", id);
      if (operation !== undefined) found.push(operation);
    }
    return found;
  }

  #relist(id: string): void {
    const operation = this.#kernel.get("operation", id);
    const { owner, target } = operation ?? this.#listed.get(id) ?? { owner: "", target: {} };
    const change = operation === undefined ? removed : added;
    change(this.#byOwner, owner, id);
    for (const each of new Set(Object.values(target))) change(this.#byTarget, each, id);
    if (operation === undefined) this.#listed.delete(id);
    else this.#listed.set(id, { owner, target });
  }
}

function added(lists: Map<string, Set<string>>, name: string, id: string): void {
  lists.set(name, (lists.get(name) ?? new Set()).add(id));
}

function removed(lists: Map<string, Set<string>>, name: string, id: string): void {
  const list = lists.get(name);
  list?.delete(id);
  if (list?.size === 0) lists.delete(name);
}
