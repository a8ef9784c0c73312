// What the hub and Zigbee2MQTT take for the same, in turns: the same house, stick and air for each.
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@ledge/testkit";
import type { Figure } from "../figure.ts";
import { pssOf, type Program } from "../hub-process.ts";
import { quantile } from "../rounds.ts";
import { House } from "./house.ts";
import { Ledge } from "./ledge.ts";
import type { Product } from "./product.ts";
import { Zigbee2Mqtt } from "./zigbee2mqtt.ts";

const commands = 100;
/** Commands per turn. */
const atOnce = 10;
const switches = 6;
/** A broadcast stays in the tables of routers for nine seconds, of which four may be sent at once. */
const broadcastPauseMs = 2500;
const restMs = 20_000;
const reportCount = 1000;

/** One program with its house, and what it took, ms or MB by figure. */
interface Side {
  readonly product: Product;
  readonly house: House;
  readonly samples: Map<string, number[]>;
}

type Step = (side: Side) => Promise<void>;

/**
 * Measures the hub alone, or beside Zigbee2MQTT.
 * @param peer the folder in which Zigbee2MQTT is installed
 */
export async function compare(program: Program, peer: string | undefined): Promise<readonly Figure[]> {
  const sides = [await ours(program), ...(peer === undefined ? [] : [await theirs(peer)])];
  try {
    for (const side of sides) await pairing(side);
    for (const side of sides) weigh(side, "memory at work");
    await sleep(restMs);
    for (const side of sides) await prepared(side);
    await sleep(restMs);
    await inTurns(sides, commands / atOnce, single);
    for (const step of [byList, byScene, byGroup]) await inTurns(sides, switches, step);
    for (const side of sides) weigh(side, "memory at work");
    for (const step of [memory, reports, restart]) for (const side of sides) await step(side);
  } finally {
    for (const { product, house } of sides) {
      await product.stop();
      await house.served.close();
      product.remove();
    }
  }
  return figures(sides);
}

async function ours(program: Program): Promise<Side> {
  const house = await House.build();
  return { product: new Ledge(house, program), house, samples: new Map() };
}

async function theirs(peer: string): Promise<Side> {
  const house = await House.build();
  return { product: new Zigbee2Mqtt(house, peer, await freePort()), house, samples: new Map() };
}

async function inTurns(
  sides: readonly Side[],
  rounds: number,
  step: (side: Side, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) for (const side of sides) await step(side, round);
}

const pairing: Step = async (side) => {
  const { product, house } = side;
  await product.start();
  await product.ready();
  const began = performance.now();
  house.seek();
  await product.pair();
  note(side, "pairing of 60", performance.now() - began);
};

const prepared: Step = async ({ product }) => await product.prepare();

async function single(side: Side): Promise<void> {
  const { product, house } = side;
  for (let turn = 0; turn < atOnce; turn += 1) {
    const lamp = turn % house.lamps.length;
    const switched = house.switched();
    const began = performance.now();
    product.one(lamp, house.lamps[lamp]?.isOn !== true);
    note(side, "command", (await switched) - began);
    await sleep(60);
  }
}

function switching(name: string, give: (product: Product, isOn: boolean) => void, pauseMs: number) {
  return async (side: Side, round: number): Promise<void> => {
    const { product, house } = side;
    const isOn = round % 2 === 0;
    const began = performance.now();
    give(product, isOn);
    const missing = await house.missing(isOn);
    note(side, name, performance.now() - began);
    note(side, "missed", missing);
    await sleep(pauseMs);
  };
}

const byList = switching("24 lamps by list", (product, isOn) => product.list(isOn), 500);
const byScene = switching("24 lamps by scene", (product, isOn) => product.scene(isOn), broadcastPauseMs);
const byGroup = switching("24 lamps by group", (product, isOn) => product.group(isOn), broadcastPauseMs);

/** V8 collects what is left of work eight seconds after it. */
const memory: Step = async (side) => {
  await sleep(restMs);
  weigh(side, "memory at rest");
};

function weigh(side: Side, name: string): void {
  note(
    side,
    name,
    side.product.pids().reduce((sum, pid) => sum + pssOf(pid), 0),
  );
}

/**
 * Motion sensors that see somebody, or nobody any more, one after the other: more than the air bears. Counted are changes,
 * at the stick and behind the program: what the air has lost is no fault of a program's, and a repetition is no news.
 */
const reports: Step = async (side) => {
  const { product, house } = side;
  const known = new Map<string, boolean>();
  let passedOn = 0;
  const end = await product.listen((sensor, isSeen) => {
    if ((known.get(sensor) ?? false) !== isSeen) passedOn += 1;
    known.set(sensor, isSeen);
  });
  await sleep(1000);
  const before = house.changes;
  for (let sent = 0; sent < reportCount; sent += 1) {
    const isSeen = Math.floor(sent / house.sensors.length) % 2 === 0;
    house.sensors[sent % house.sensors.length]?.alarm(isSeen);
    await sleep(8);
  }
  await sleep(2000);
  end();
  const given = house.changes - before;
  note(side, "changes given", given);
  note(side, "changes lost", given - passedOn);
};

/** From the start of the processes to the first frame of a command that is given as soon as possible. */
const restart: Step = async (side) => {
  const { product, house } = side;
  await product.stop();
  const lamp = house.lamps[0];
  const switched = house.switched();
  const began = performance.now();
  await product.start();
  product.one(0, lamp?.isOn !== true);
  note(side, "start to first command", (await switched) - began);
};

function note({ samples }: Side, name: string, value: number): void {
  samples.set(name, [...(samples.get(name) ?? []), value]);
}

interface Line {
  readonly name: string;
  readonly sample: string;
  readonly share: number;
  readonly unit: string;
  /** The most that ours may be of theirs; null when nothing is compared. */
  readonly goal: number | null;
  /** The most that ours may be by itself; absent when it is only told. */
  readonly most?: number;
}

const lines: readonly Line[] = [
  { name: "command to frame, p50", sample: "command", share: 0.5, unit: "ms", goal: 0.9 },
  { name: "command to frame, p99", sample: "command", share: 0.99, unit: "ms", goal: 0.7 },
  { name: "24 lamps by list", sample: "24 lamps by list", share: 0.5, unit: "ms", goal: 1 },
  { name: "24 lamps by scene", sample: "24 lamps by scene", share: 0.5, unit: "ms", goal: 1 },
  { name: "24 lamps by group", sample: "24 lamps by group", share: 0.5, unit: "ms", goal: 1 },
  { name: "pairing of 60", sample: "pairing of 60", share: 0.5, unit: "ms", goal: 1 },
  { name: "start to first command", sample: "start to first command", share: 0.5, unit: "ms", goal: 1 },
  { name: "memory of everything, at rest", sample: "memory at rest", share: 0.5, unit: "MB", goal: 0.75 },
  { name: "memory of everything, at work", sample: "memory at work", share: 1, unit: "MB", goal: 0.75 },
  { name: "lamps that missed a command, worst", sample: "missed", share: 1, unit: "lamps", goal: null },
  {
    name: "changes of 1000 that passed the air",
    sample: "changes given",
    share: 0.5,
    unit: "changes",
    goal: null,
  },
  {
    name: "changes lost behind the stick",
    sample: "changes lost",
    share: 0.5,
    unit: "changes",
    goal: null,
    most: 0,
  },
];

function figures(sides: readonly Side[]): readonly Figure[] {
  const valueOf = ({ samples }: Side, { sample, share }: Line): number =>
    quantile(samples.get(sample) ?? [], share);
  return lines.flatMap((line) => {
    const told = sides.map((side, at): Figure => {
      const how = `${side.product.name}, timed air, stick at 115,200 baud; in turns`;
      const name = `zigbee ${line.name}, ${side.product.name}`;
      // Ours is the first side; the other keeps no limit of ours.
      const limit = at === 0 && line.most !== undefined ? (`<= ${line.most}` as const) : null;
      return { name, value: valueOf(side, line), unit: line.unit, limit, gated: false, how };
    });
    const [one, other] = sides;
    if (!one || !other || line.goal === null) return told;
    const limit = `<= ${line.goal}` as const;
    const value = valueOf(one, line) / valueOf(other, line);
    const how = "ours by theirs, interleaved; told, as times are";
    return [...told, { name: `zigbee ${line.name}, ratio`, value, unit: "x", limit, gated: false, how }];
  });
}
