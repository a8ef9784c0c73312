import type { AlarmRow } from "@ledge/fleet";
import { followRows } from "../registers/row-news.ts";
import type { Presences } from "./presences.ts";
import { PushMessage } from "./pushes.ts";
import { readsOf, type RegisterParts } from "./register-source.ts";
import type { Item, Source } from "./source.ts";

export interface HubParts extends RegisterParts {
  readonly presences: Pick<Presences, "isConnected" | "sinceOf" | "follow">;
  readonly versionOf: (hubId: string) => string;
}

const presence = "presence";
const alarm = "alarm ";

/** A hub: whether it is connected, and its alarms. */
export class HubSource implements Source {
  readonly #parts: HubParts;

  constructor(parts: HubParts) {
    this.#parts = parts;
  }

  follow(id: string, changed: (item: string) => Promise<void>): () => void {
    const { bus, presences } = this.#parts;
    const stops = [
      followRows(bus, id, "alarm", (alarmId) => changed(alarm + alarmId)),
      presences.follow(id, () => void changed(presence)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async read(hubId: string, item: string): Promise<Item> {
    if (item === presence) return this.#presence(hubId);
    const id = item.slice(alarm.length);
    const row = await this.#parts.registers.get({ register: hubId, kind: "alarm", id });
    return row?.kind === "alarm" ? itemOf(row) : { id: item, message: alarmOf(hubId, { id }, true) };
  }

  async *snapshot(hubId: string): AsyncIterable<Item> {
    yield this.#presence(hubId);
    for await (const row of this.#parts.registers.scan(hubId, "alarm"))
      if (row.kind === "alarm") yield itemOf(row);
  }

  reads(user: string, hubId: string): "all" | "visible" | undefined {
    return readsOf(this.#parts.roleOf(user, hubId));
  }

  released(hubId: string, reason: string): PushMessage {
    return new PushMessage({ type: "ReleasedHubPush", hubId, reason });
  }

  #presence(hubId: string): Item {
    const { presences, versionOf } = this.#parts;
    const push = {
      type: "PresenceHubPush",
      hubId,
      connected: presences.isConnected(hubId),
      version: versionOf(hubId),
      since: presences.sinceOf(hubId),
    } as const;
    return { id: presence, message: new PushMessage(push) };
  }
}

function itemOf({ register, id, object }: AlarmRow): Item {
  return { id: alarm + id, message: alarmOf(register, object, false) };
}

function alarmOf(hubId: string, object: AlarmRow["object"], removed: boolean): PushMessage {
  return new PushMessage({ type: "AlarmHubPush", hubId, alarm: { ...object }, removed });
}
