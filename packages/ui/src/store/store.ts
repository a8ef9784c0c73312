import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
import { type Collection, createCollection, createIndex, type Index } from "./collection.ts";
import type { Breathe } from "./read-poll.ts";
import {
  categories,
  type Category,
  type Device,
  type Objects,
  type PollAnswer,
  type Section,
} from "./wire.ts";

/** The key of devices that are in no room; browsers that stand for their users are not looked for in one. */
export const noRoom = "";
/** The class of browsers and phones that stand for their users. */
const browser = "UI_DEVICE";

/** The home as the hub last told it. `apply` and `drop` alone write it. */
export interface Store {
  readonly of: { readonly [C in Category]: Collection<Objects[C]> };
  /** Ids of devices by room; those in none under `noRoom`. */
  readonly devicesByRoom: Index<Device>;
  readonly devicesByZone: Index<Device>;
  /** Ids of browsers and phones that stand for their users. */
  readonly browsers: ReadonlySignal<readonly string[]>;
  /** When the hub told it last (ms of the hub's clock), and the cursor of the next poll; 0: never. */
  readonly asOf: ReadonlySignal<number>;
  /** Whether the hub has told it. */
  readonly isTold: ReadonlySignal<boolean>;
  /** Takes over an answer of the hub, all of it in one step for readers. */
  apply(answer: PollAnswer): void;
  /**
   * The same with the sections of a full answer one after the other, and a turn for the page between them. Lists of ids
   * change, the home is told, and what has gone is forgotten at the end; never, if the signal aborts.
   */
  takeOver(answer: PollAnswer, breathe: Breathe, stopped: AbortSignal): Promise<void>;
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
    keysOf: ({ room, type }) => (room.length > 0 ? room : type === browser ? [] : [noRoom]),
    rankOf: nameOf,
  });
  const devicesByZone = createIndex<Device>({ keysOf: ({ zones }) => zones, rankOf: nameOf });
  const byBrowser = createIndex<Device>({
    keysOf: ({ type }) => (type === browser ? [browser] : []),
    rankOf: nameOf,
  });
  const of: Store["of"] = {
    devices: createCollection<Objects["devices"]>(nameOf, devicesByRoom, devicesByZone, byBrowser),
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
  const takeSection = (section: Section): void =>
    batch(() => categories.forEach((category) => take(of, category, section)));
  const end = ({ timestamp, full, polls }: PollAnswer): void =>
    batch(() => {
      if (full) for (const category of categories) retain(of, category, polls);
      for (const category of categories) of[category].show();
      asOf.value = timestamp;
    });
  const apply: Store["apply"] = (answer) =>
    batch(() => {
      answer.polls.forEach(takeSection);
      end(answer);
    });
  const takeOver: Store["takeOver"] = async (answer, breathe, stopped) => {
    if (!answer.full) return apply(answer);
    for (const section of answer.polls) {
      takeSection(section);
      await breathe();
      if (stopped.aborted) return;
    }
    end(answer);
  };
  const nothing = Object.fromEntries(categories.map((category) => [category, {}]));
  return {
    of,
    devicesByRoom,
    devicesByZone,
    browsers: byBrowser.idsOf(browser),
    asOf,
    isTold: computed(() => asOf.value > 0),
    apply,
    takeOver,
    drop: (category, id) =>
      batch(() => {
        take(of, category, { [category]: { [id]: null } });
        of[category].show();
      }),
    forget: () => apply({ timestamp: 0, full: true, polls: [nothing] }),
    snapshot: () => ({
      timestamp: asOf.peek(),
      full: true,
      polls: categories.map((category) => ({ [category]: of[category].all() })),
    }),
  };
}

function take(of: Store["of"], category: Category, section: Section): void {
  const changes = section[category];
  if (changes !== undefined) (of[category] as Collection<unknown>).apply(changes);
}

/** Forgets what a full answer does not name; a category that it leaves out stays. */
function retain(of: Store["of"], category: Category, polls: readonly Section[]): void {
  const told = polls.filter((section) => section[category] !== undefined);
  if (told.length === 0) return;
  const ids = new Set(told.flatMap(({ [category]: objects = {} }) => Object.keys(objects)));
  of[category].retain((id) => ids.has(id));
}
