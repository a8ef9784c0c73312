// Where the time of one command goes: from the request to the frame on the stick's wire, by process.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "../figure.ts";
import { bundled } from "../hub-process.ts";
import { quantile } from "../rounds.ts";
import { Hops } from "./hops.ts";
import { House } from "./house.ts";
import { Ledge } from "./ledge.ts";
import { stampsVariable } from "./stamps.ts";

const commands = 100;
const lamps = 10;
const pauseMs = 30;
const restMs = 15_000;
/** Stamps are written some time after the last command. */
const writtenMs = 1000;
const preload = new URL("./hub-stamps.preload.ts", import.meta.url).href;

/** A part of the way that ends at a stamped place. */
const parts = [
  { to: "request", name: "client to request", how: "from the client's write to the hub's request, parsed" },
  { to: "pipe", name: "hub", how: "HTTP, rights, decision and dispatcher, to the write into the pipe" },
  { to: "received", name: "pipe", how: "to the bytes in the adapter's process" },
  { to: "frame", name: "adapter", how: "adapter and zigbee-herdsman, to the write to the stick" },
] as const;

/** When one command began and arrived, ns. */
type Span = readonly [began: number, arrived: number];

export async function seamFigures(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "ledge-bench-"));
  const stamps = join(folder, "stamps");
  const house = await House.build();
  const hops = await Hops.begin();
  const program = await bundled(folder);
  const environment = { ...program.environment, [stampsVariable]: stamps };
  const ledge = new Ledge(house, { ...program, environment }, ["--import", preload]);
  await ledge.start();
  try {
    await ledge.ready();
    house.seek();
    await ledge.pair();
    await sleep(restMs);
    await ledge.prepare();
    const bare: number[] = [];
    const spans: Span[] = [];
    for (let turn = 0; turn < commands; turn += 1) {
      spans.push(await command(ledge, house, turn % lamps));
      await sleep(pauseMs);
      bare.push(await hops.pass());
      await sleep(pauseMs);
    }
    await sleep(writtenMs);
    return figures(spans, placesIn(readFileSync(stamps, "utf8")), bare);
  } finally {
    hops.stop();
    await ledge.stop();
    ledge.remove();
    await house.served.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function command(ledge: Ledge, house: House, lamp: number): Promise<Span> {
  const switched = house.switched();
  const clock = Number(process.hrtime.bigint()) - performance.now() * 1e6;
  const began = performance.now() * 1e6;
  ledge.one(lamp, house.lamps[lamp]?.isOn !== true);
  return [began + clock, (await switched) * 1e6 + clock];
}

function placesIn(text: string): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const line of text.trim().split("\n")) {
    const [place = "", at] = line.split(" ");
    places.set(place, [...(places.get(place) ?? []), Number(at)]);
  }
  return places;
}

function figures(
  spans: readonly Span[],
  places: ReadonlyMap<string, readonly number[]>,
  bare: readonly number[],
): readonly Figure[] {
  const samples = new Map<string, number[]>();
  const note = (name: string, ns: number): void => {
    samples.set(name, [...(samples.get(name) ?? []), ns / 1e6]);
  };
  for (const [began, arrived] of spans) {
    let last = began;
    let isWhole = true;
    for (const { to, name } of parts) {
      const at = places.get(to)?.find((one) => one >= last && one <= arrived);
      isWhole &&= at !== undefined;
      if (at === undefined) break;
      note(name, at - last);
      last = at;
    }
    if (isWhole) note("line", arrived - last);
    note("all", arrived - began);
  }
  const told = (name: string, value: number, unit: string, how: string): Figure => {
    return { name: `seam of a Zigbee command, ${name}`, value, unit, limit: null, gated: false, how };
  };
  const middle = (name: string): number => quantile(samples.get(name) ?? [], 0.5);
  return [
    ...parts.map(({ name, how }) => told(name, middle(name), "ms", how)),
    told("line", middle("line"), "ms", "to the bench, which the stick runs in"),
    told("all", middle("all"), "ms", `p50 of ${spans.length}, to the frame on the stick's wire`),
    told("bare hops", quantile(bare, 0.5), "ms", "the same processes passing a request on, in turns"),
    told("all per bare hops", middle("all") / quantile(bare, 0.5), "x", "what hub and adapter make of them"),
  ];
}
