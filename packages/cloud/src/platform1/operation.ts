import type { Clock, Kernel } from "@ledge/kernel";
import { limits } from "@ledge/model";
import { isOpen, type Operation } from "../model/operation.ts";
import type { CloudStates } from "../model/states.ts";
import { pause } from "../process/pause.ts";

interface Waiting {
  readonly kernel: Pick<Kernel<CloudStates>, "get" | "subscribe">;
  readonly clock: Pick<Clock, "after">;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

/** Returns an operation once it has ended, or after `limits.operationAwaitMs` as it is then. */
export async function endOf(id: string, { kernel, clock, signal }: Waiting): Promise<Operation | undefined> {
  const ended = new AbortController();
  const look = (): void => {
    const operation = kernel.get("operation", id);
    if (operation === undefined || !isOpen(operation)) ended.abort();
  };
  const end = kernel.subscribe({
    published({ events }) {
      if (events.some((event) => event.id === id)) look();
    },
  });
  look();
  await pause(limits.operationAwaitMs, clock, AbortSignal.any([signal, ended.signal]));
  end();
  return kernel.get("operation", id);
}
