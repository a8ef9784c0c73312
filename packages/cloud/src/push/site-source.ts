import type { Kernel } from "@ledge/kernel";
import { entityObject } from "../graph/site-object.ts";
import type { Site } from "../model/site-state.ts";
import { entityAt, walk } from "../model/site-tree.ts";
import type { CloudStates } from "../model/states.ts";
import type { Found } from "../sites/finding.ts";
import { PushMessage } from "./pushes.ts";
import type { Item, Source } from "./source.ts";

export interface SiteParts {
  readonly kernel: Pick<Kernel<CloudStates>, "get" | "subscribe">;
  /** Returns whether a user may read a site. */
  readonly mayRead: (user: string, site: Site) => boolean;
}

/** The entities of a site, by path. One that moves is gone at its old path. */
export class SiteSource implements Source {
  readonly #parts: SiteParts;

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  follow(id: string, changed: (item: string) => Promise<void>): () => void {
    return this.#parts.kernel.subscribe({
      published({ events }) {
        const paths = new Set<string>();
        for (const event of events) {
          if (event.id !== id || !("path" in event)) continue;
          paths.add(event.path as string);
          if ("to" in event) paths.add(event.to as string);
        }
        for (const path of paths) void changed(path);
      },
    });
  }

  async read(siteId: string, path: string): Promise<Item> {
    const site = this.#parts.kernel.get("site", siteId);
    const entity = site && entityAt(site.entities, path);
    if (entity !== undefined) return itemOf(siteId, { path, entity });
    const gone = { type: "EntitySitePush", siteId, path, entity: null, removed: true } as const;
    return { id: path, message: new PushMessage(gone) };
  }

  async *snapshot(siteId: string): AsyncIterable<Item> {
    const site = this.#parts.kernel.get("site", siteId);
    for (const found of walk(site?.entities ?? {})) yield itemOf(siteId, found);
  }

  reads(user: string, siteId: string): "all" | undefined {
    const site = this.#parts.kernel.get("site", siteId);
    return site !== undefined && this.#parts.mayRead(user, site) ? "all" : undefined;
  }

  released(siteId: string, reason: string): PushMessage {
    return new PushMessage({ type: "ReleasedSitePush", siteId, reason });
  }
}

function itemOf(siteId: string, found: Found): Item {
  const { path, entity } = found;
  const moved = entity.movedFrom === null ? {} : { movedFrom: entity.movedFrom };
  const push = { type: "EntitySitePush", siteId, path, entity: entityObject(found), removed: false } as const;
  return { id: path, message: new PushMessage({ ...push, ...moved }) };
}
