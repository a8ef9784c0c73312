import type { Kernel } from "@ledge/kernel";
import type { CloudStates } from "../model/states.ts";

const leaving: ReadonlySet<string> = new Set(["HubReleased", "HubRemoved"]);

/**
 * Calls back with a hub that its owner has given up, or that is removed: the cloud must keep nothing of its home.
 * @returns a function that unsubscribes
 */
export function onHubLeft(
  kernel: Pick<Kernel<CloudStates>, "subscribe">,
  callback: (hubId: string) => void,
): () => void {
  return kernel.subscribe({
    published({ events }) {
      for (const { type, id } of events) if (leaving.has(type)) callback(id);
    },
  });
}
