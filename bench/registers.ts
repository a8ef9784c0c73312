// Lists of a large register store on disk: pages and searches, against a small store.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DeviceRow, openLmdbRegisterStore, plainList, type RegisterStore } from "@ledge/fleet";
import { newDevice } from "@ledge/model";
import type { Figure, MeasureOptions } from "./figure.ts";
import { collect } from "./heap.ts";
import { deviceId } from "./home.ts";
import { quantile } from "./rounds.ts";

const devicesDefault = 1_000_000;
/** Devices of the small store, and of the register that is searched in the large one. */
const few = 10_000;
const rowsPerBatch = 2000;
/** Fewer than a source may have. */
const rowsPerSource = 200_000;
/** How long filling a store may take: then the machine is too slow for so many devices. */
const fillMs = 900_000;
const turns = 20;
const pagesPerTurn = 100;
const searches = 200;
/** Any step that has no factor in common with the number of devices: neighbours by name are no neighbours by id. */
const nameStep = 7919;

const small = { register: "small", devices: few };

export async function registerFigures({ devices = devicesDefault }: MeasureOptions): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const stores: RegisterStore[] = [];
  const storeIn = async (name: string): Promise<RegisterStore> => {
    const onDiscarded = (problem: string): never => {
      throw new Error(problem);
    };
    const store = await openLmdbRegisterStore({ folder: join(folder, name), now: () => 0, onDiscarded });
    stores.push(store);
    return store;
  };
  try {
    const [one, all] = [await storeIn("one"), await storeIn("all")];
    const large = { register: "large", devices: Math.max(devices - few, few) };
    await fill(one, small);
    const began = performance.now();
    await fill(all, small);
    await fill(all, large);
    const seconds = (performance.now() - began) / 1000;
    const total = few + large.devices;
    const bytes = statSync(join(folder, "all", "data.mdb")).size;
    return [
      ...(await pages(one, all, large, total)),
      await search(all, total),
      {
        name: "registers disk per device",
        value: bytes / total,
        unit: "bytes",
        ...told,
        how: `${total} devices of about 450 bytes as their hubs tell them`,
      },
      {
        name: "registers filled",
        value: total / seconds,
        unit: "devices/s",
        ...told,
        how: `${total} devices in batches of ${rowsPerBatch}, each durable before the next`,
      },
    ];
  } finally {
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const told = { limit: null, gated: false } as const;

interface Register {
  readonly register: string;
  readonly devices: number;
}

async function pages(
  one: RegisterStore,
  all: RegisterStore,
  large: Register,
  total: number,
): Promise<readonly Figure[]> {
  const random = randomFrom(1);
  const best = { one: Infinity, all: Infinity };
  const times: number[] = [];
  const turn = async (store: RegisterStore, of: Register): Promise<readonly number[]> => {
    collect();
    const taken: number[] = [];
    for (let page = 0; page < pagesPerTurn; page++)
      taken.push(await pageMs(store, of, random, page % 2 === 0));
    return taken;
  };
  for (let round = 0; round < turns; round++) {
    best.one = Math.min(best.one, sum(await turn(one, small)));
    const taken = await turn(all, large);
    best.all = Math.min(best.all, sum(taken));
    times.push(...taken);
  }
  const how = `pages of 50 anywhere in a register of ${large.devices}, by id and by name in turns`;
  return [
    { name: "registers page, p50", value: quantile(times, 0.5), unit: "ms", ...told, how },
    {
      name: "registers page, p99",
      value: quantile(times, 0.99),
      unit: "ms",
      limit: "<= 5",
      gated: false,
      how,
    },
    {
      name: `registers page of ${total} per page of ${few}`,
      value: best.all / best.one,
      unit: "x",
      limit: "<= 1.5",
      gated: true,
      how: `${turns} turns of ${pagesPerTurn} pages each way; the best turn of each`,
    },
  ];
}

/** Reads a page that begins at a device anywhere. Returns how long it took. */
async function pageMs(
  store: RegisterStore,
  { register, devices }: Register,
  random: () => number,
  isByName: boolean,
): Promise<number> {
  const index = Math.floor(random() * (devices - 100));
  const id = deviceId(index);
  const from = isByName ? { value: nameOf(index, devices).toLowerCase(), id } : { value: id, id };
  const began = performance.now();
  const { rows } = await store.page(register, { ...plainList, orderBy: isByName ? "name" : "id", from });
  const took = performance.now() - began;
  // The last names of a list have no whole page behind them.
  if (rows.length === 0 && !isByName) throw new Error("a page is empty");
  return took;
}

/** Searches the small register of the large store for what one device has, so that it looks at all others. */
async function search(store: RegisterStore, total: number): Promise<Figure> {
  const random = randomFrom(2);
  const times: number[] = [];
  for (let count = 0; count < searches; count++) {
    const needle = `serial ${Math.floor(random() * few)}.`;
    const began = performance.now();
    const { rows } = await store.page(small.register, { ...plainList, search: needle });
    times.push(performance.now() - began);
    if (rows.length !== 1) throw new Error(`${rows.length} devices have "${needle}"`);
  }
  return {
    name: `registers search of ${few} in ${total}, p99`,
    value: quantile(times, 0.99),
    unit: "ms",
    limit: "<= 50",
    gated: false,
    how: `${searches} searches for what one device has; ${quantile(times, 0.5).toFixed(1)} ms in the middle`,
  };
}

async function fill(store: RegisterStore, { register, devices }: Register): Promise<void> {
  const until = performance.now() + fillMs;
  for (let first = 0; first < devices; first += rowsPerBatch) {
    if (performance.now() > until)
      throw new Error(`${first} devices took ${fillMs / 60_000} minutes: ask for fewer with --devices`);
    const source = `${register} ${Math.floor(first / rowsPerSource)}`;
    const place = first % rowsPerSource;
    const upserts = Array.from({ length: Math.min(rowsPerBatch, devices - first) }, (_, at) =>
      rowOf(register, source, first + at, devices),
    );
    const [after, upto] = [place === 0 ? null : String(place), String(place + rowsPerBatch)];
    const batch = { source, generation: 0, after, upto, upserts, removals: [], outbox: [] };
    const applied = await store.apply(batch);
    if (applied.outcome !== "applied" || applied.leftOut.length > 0) throw new Error("a batch was refused");
  }
}

const nameOf = (index: number, devices: number): string =>
  `Lamp ${String((index * nameStep) % devices).padStart(7, "0")}`;

/** A device as its hub tells it, of about 450 bytes. */
export function rowOf(register: string, source: string, index: number, devices: number): DeviceRow {
  const id = deviceId(index);
  const name = nameOf(index, devices);
  const capabilities = ["DEVICE", "ON_OFF", "BRIGHTNESS"];
  const [manufacturer, model, type] = [
    "Bench",
    `L${index % 50}`,
    ["LIGHT", "SWITCH", "SENSOR"][index % 3] ?? "",
  ];
  const state = {
    type: "STATE_LIGHT",
    isOn: index % 2 === 0,
    transitionMsec: null,
    reachable: true,
    lastSeen: index,
  };
  const content = { class: type, capabilities, manufacturer, model, extras: {} };
  return {
    kind: "device",
    register,
    id,
    source,
    timestamp: index,
    device: {
      id,
      isActive: true,
      name,
      type,
      capabilities,
      createdAt: 1,
      modifiedAt: index,
      createdBy: "",
      modifiedBy: "",
      routing: { gatewayId: source, protocol: "ZIGBEE" },
      nativeId: `0x${index.toString(16).padStart(16, "0")}`,
      serialNumber: `Serial ${index}.`,
      model,
      manufacturer,
      tags: { floor: String(index % 9) },
    },
    object: { ...newDevice({ id, name, ...content }, index), state },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Numbers from 0 to below 1, the same in each run (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
