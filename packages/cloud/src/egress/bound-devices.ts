import type { OutboxMessage } from "@ledge/fleet";
import type { Kernel } from "@ledge/kernel";
import type { ChangeEvent } from "@ledge/link";
import { limits, type LoggedEvent } from "@ledge/model";
import { entityAt, walk } from "../model/site-tree.ts";
import type { CloudStates } from "../model/states.ts";
import { InvertedIndex } from "../process/inverted-index.ts";
import type { DeviceBody } from "./wire-event.ts";

const separator = "\u0000";

/** Finds the entities that stand for a device, in sites that send their events somewhere. */
export class BoundDevices {
  readonly #kernel: Pick<Kernel<CloudStates>, "get">;
  /** `site NUL path`, by `register NUL device`. */
  readonly #places = new InvertedIndex();
  /** The paths of the bound entities of a site. */
  readonly #paths = new Map<string, Set<string>>();
  readonly #end: () => void;

  constructor(kernel: Pick<Kernel<CloudStates>, "all" | "get" | "subscribe">) {
    this.#kernel = kernel;
    for (const [siteId, { entities }] of kernel.all("site"))
      for (const { path } of walk(entities)) this.#put(siteId, path);
    this.#end = kernel.subscribe({
      published: ({ events }) => {
        for (const event of events) {
          if (event.type === "SiteDeleted") this.#forget(event.id);
          if (!event.type.startsWith("Entity")) continue;
          const { path, to } = event as LoggedEvent & { readonly path: string; readonly to?: string };
          this.#put(event.id, path);
          if (to !== undefined) this.#put(event.id, to);
        }
      },
    });
  }

  stop(): void {
    this.#end();
  }

  /**
   * Returns what a change of a device puts into the outboxes of sites.
   * @param now ms since the epoch, by the cloud's log
   */
  messagesFor(deviceRegisterId: string, change: ChangeEvent, now: number): OutboxMessage[] {
    const messages: OutboxMessage[] = [];
    for (const place of this.#places.under(keyOf(deviceRegisterId, change.device))) {
      const [siteId = "", path = ""] = place.split(separator);
      const by = this.#kernel.get("egress", siteId) && this.#deviceAt(siteId, path)?.by;
      if (by === undefined) continue;
      const body = { at: now, path, deviceRegisterId, by, change } satisfies DeviceBody;
      messages.push({ topic: siteId, ref: `${deviceRegisterId}:${change.ref}`, body });
      if (messages.length === limits.egressBindings) break;
    }
    return messages;
  }

  #deviceAt(siteId: string, path: string) {
    const site = this.#kernel.get("site", siteId);
    return site && entityAt(site.entities, path)?.device;
  }

  #put(siteId: string, path: string): void {
    const device = this.#deviceAt(siteId, path) ?? undefined;
    this.#places.put(
      siteId + separator + path,
      device === undefined ? [] : [keyOf(device.deviceRegisterId, device.deviceId)],
    );
    const paths = this.#paths.get(siteId) ?? new Set();
    if (device === undefined) paths.delete(path);
    else paths.add(path);
    if (paths.size > 0) this.#paths.set(siteId, paths);
    else this.#paths.delete(siteId);
  }

  #forget(siteId: string): void {
    for (const path of this.#paths.get(siteId) ?? []) this.#places.put(siteId + separator + path, []);
    this.#paths.delete(siteId);
  }
}

function keyOf(deviceRegisterId: string, deviceId: string): string {
  return deviceRegisterId + separator + deviceId;
}
