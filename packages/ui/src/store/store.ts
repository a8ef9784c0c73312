import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { type Collection, createCollection, createIndex, type Index } from "./collection.ts";
import { categories, type Category, type Device, type Objects, type PollAnswer } from "./wire.ts";

/** The key of devices that are in no room. */
export const noRoom = "";

/** The home as the hub last told it. `apply` and `drop` alone write it. */
export interface Store {
  readonly of: { readonly [C in Category]: Collection<Objects[C]> };
  /** Ids of devices by room; those in none under `noRoom`. */
  readonly devicesByRoom: Index<Device>;
  /** When the hub told it last (ms of the hub's clock), and the cursor of the next poll; 0: never. */
  readonly asOf: ReadonlySignal<number>;
  /** Whether the hub has told it. */
  readonly isTold: ReadonlySignal<boolean>;
  /** Takes over an answer of the hub, all of it in one step for readers. */
  apply(answer: PollAnswer): void;
  /** Forgets an object that the hub has just removed, before a poll tells so. */
  drop(category: Category, id: string): void;
  /** Forgets the home. */
  forget(): void;
  /** Returns everything as a full answer, from which another store can begin. */
  snapshot(): PollAnswer;
}

function nameOf(object: object): string {
  return "name" in object && typeof object.name === "string" ? object.name : "";
}

/** Rooms stand in the order that their people gave them. */
function rankOfRoom({ order, name }: Objects["rooms"]): string {
  return `${order} ${name}`;
}

export function createStore(): Store {
  const asOf = signal(0);
  const devicesByRoom = createIndex<Device>({
    keysOf: ({ room }) => (room.length === 0 ? [noRoom] : room),
    rankOf: nameOf,
  });
  const of: Store["of"] = {
    devices: createCollection<Objects["devices"]>(nameOf, devicesByRoom),
    groups: createCollection<Objects["groups"]>(nameOf),
    scenes: createCollection<Objects["scenes"]>(nameOf),
    rules: createCollection<Objects["rules"]>(({ config }) => config.name),
    users: createCollection<Objects["users"]>(nameOf),
    alerts: createCollection<Objects["alerts"]>(nameOf),
    rooms: createCollection(rankOfRoom),
    zones: createCollection<Objects["zones"]>(nameOf),
    alarms: createCollection<Objects["alarms"]>(nameOf),
    activators: createCollection<Objects["activators"]>(nameOf),
  };
  const apply: Store["apply"] = ({ timestamp, full, polls }) =>
    batch(() => {
      for (const section of polls) for (const category of categories) take(of, category, section, full);
      asOf.value = timestamp;
    });
  const nothing = Object.fromEntries(categories.map((category) => [category, {}]));
  return {
    of,
    devicesByRoom,
    asOf,
    isTold: computed(() => asOf.value > 0),
    apply,
    drop: (category, id) => batch(() => take(of, category, { [category]: { [id]: null } }, false)),
    forget: () => apply({ timestamp: 0, full: true, polls: [nothing] }),
    snapshot: () => ({
      timestamp: asOf.peek(),
      full: true,
      polls: categories.map((category) => ({ [category]: of[category].all() })),
    }),
  };
}

function take(
  of: Store["of"],
  category: Category,
  section: PollAnswer["polls"][number],
  isFull: boolean,
): void {
  const changes = section[category];
  if (changes !== undefined) (of[category] as Collection<unknown>).apply(changes, isFull);
}
