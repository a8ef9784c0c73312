import type { AttributeSpec, Handler } from "../cluster.ts";
import { Cluster } from "../cluster.ts";
import { Ramp } from "../ramp.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { DataType } from "../zcl/types.ts";
import { colorAttributes } from "./color-attributes.ts";
import type { ColorFeature, ColorName, ColorOptions } from "./color-attributes.ts";
import type { OnOff } from "./on-off.ts";

const modes = { hs: 0, xy: 1, ct: 2 } as const;
type Mode = keyof typeof modes;
type Movable = "hue" | "saturation" | "x" | "y" | "mireds";
type Targets = Partial<Record<Movable, number>>;

const executeIfOff = 0x01;
/** A full turn of the hue. */
const turn = 255;

/** The fields of each command before its options (ZCL 5.2.2.3). */
const colorFields: Readonly<Record<number, readonly DataType[]>> = {
  0x00: ["uint8", "enum8", "uint16"],
  0x02: ["enum8", "uint8", "uint8"],
  0x03: ["uint8", "uint16"],
  0x05: ["enum8", "uint8", "uint8"],
  0x06: ["uint8", "uint8", "uint16"],
  0x07: ["uint16", "uint16", "uint16"],
  0x09: ["int16", "int16", "uint16"],
  0x0a: ["uint16", "uint16"],
  0x40: ["uint16", "enum8", "uint16"],
  0x43: ["uint16", "uint8", "uint16"],
  0x47: [],
  0x4b: ["enum8", "uint16", "uint16", "uint16"],
  0x4c: ["enum8", "uint16", "uint16", "uint16", "uint16"],
};

/** Colour of a lamp (0x0300): by x and y, by hue and saturation, by temperature, as far as it supports them. */
export class Color extends Cluster<ColorName> {
  readonly #onOff: OnOff;
  readonly #ramp = new Ramp();

  constructor(onOff: OnOff, options: ColorOptions) {
    super(0x0300, colorAttributes(options) as Readonly<Record<ColorName, AttributeSpec>>);
    this.#onOff = onOff;
    for (const [command, types] of Object.entries(colorFields))
      this.takes(Number(command), types, ["map8", "map8"]);
    this.on(0x47, () => this.#stop());
    const features: Readonly<Record<ColorFeature, () => void>> = {
      hs: () => this.#hueAndSaturation(),
      xy: () => this.#xy(),
      ct: () => this.#temperature(),
    };
    for (const feature of options.features) features[feature]();
  }

  get mode(): Mode {
    return (Object.keys(modes) as Mode[]).find((mode) => modes[mode] === this.get("mode")) ?? "ct";
  }

  override poweredOn(): void {
    const startUp = this.knows("startUp") ? this.get("startUp") : null;
    if (typeof startUp === "number") this.set({ mireds: startUp, mode: modes.ct, enhancedMode: modes.ct });
  }

  override sceneFields(): Uint8Array | undefined {
    if (!this.knows("x")) return undefined;
    return write().uint16(this.number("x")).uint16(this.number("y")).done();
  }

  override recall(fields: ByteReader, transitionMs: number): void {
    this.#glide("xy", { x: fields.uint16(), y: fields.uint16() }, transitionMs / 100);
  }

  #hueAndSaturation(): void {
    this.#onMove(0x00, (payload) => {
      const [hue, direction, time] = [payload.uint8(), payload.uint8(), payload.uint16()];
      return () => this.#glide("hs", { hue: this.#hueTo(hue, direction) }, time);
    });
    this.#onMove(0x02, (payload) => {
      const [mode, size, time] = [payload.uint8(), payload.uint8(), payload.uint8()];
      return () => this.#glide("hs", { hue: this.number("hue") + (mode === 1 ? size : -size) }, time);
    });
    this.#onMove(0x03, (payload) => {
      const [saturation, time] = [payload.uint8(), payload.uint16()];
      return () => this.#glide("hs", { saturation }, time);
    });
    this.#onMove(0x05, (payload) => {
      const [mode, size, time] = [payload.uint8(), payload.uint8(), payload.uint8()];
      const to = this.number("saturation") + (mode === 1 ? size : -size);
      return () => this.#glide("hs", { saturation: bounded(to, 0, 254) }, time);
    });
    this.#onMove(0x06, (payload) => {
      const [hue, saturation, time] = [payload.uint8(), payload.uint8(), payload.uint16()];
      return () => this.#glide("hs", { hue: this.#hueTo(hue, 0), saturation }, time);
    });
    this.#onMove(0x40, (payload) => {
      const [hue, direction, time] = [payload.uint16(), payload.uint8(), payload.uint16()];
      return () => this.#glide("hs", { hue: this.#hueTo(Math.round(hue / 257), direction) }, time);
    });
    this.#onMove(0x43, (payload) => {
      const [hue, saturation, time] = [payload.uint16(), payload.uint8(), payload.uint16()];
      return () => this.#glide("hs", { hue: this.#hueTo(Math.round(hue / 257), 0), saturation }, time);
    });
  }

  #xy(): void {
    this.#onMove(0x07, (payload) => {
      const [x, y, time] = [payload.uint16(), payload.uint16(), payload.uint16()];
      return () => this.#glide("xy", { x, y }, time);
    });
    this.#onMove(0x09, (payload) => {
      const [dx, dy, time] = [payload.int(2), payload.int(2), payload.uint16()];
      const [x, y] = [this.number("x") + dx, this.number("y") + dy].map((to) => bounded(to, 0, 0xfeff));
      return () => this.#glide("xy", { x: x ?? 0, y: y ?? 0 }, time);
    });
  }

  #temperature(): void {
    const glide = (mireds: number, time: number): void =>
      this.#glide(
        "ct",
        { mireds: bounded(mireds, this.number("minMireds"), this.number("maxMireds")) },
        time,
      );
    this.#onMove(0x0a, (payload) => {
      const [mireds, time] = [payload.uint16(), payload.uint16()];
      return () => glide(mireds, time);
    });
    this.#onMove(0x4b, (payload) => {
      const [mode, rate] = [payload.uint8(), payload.uint16()];
      payload.bytes(4);
      const to = this.number(mode === 1 ? "maxMireds" : "minMireds");
      const tenths = (Math.abs(to - this.number("mireds")) * 10) / Math.max(1, rate);
      return () => (mode === 0 ? this.#stop() : glide(to, tenths));
    });
    this.#onMove(0x4c, (payload) => {
      const [mode, size, time] = [payload.uint8(), payload.uint16(), payload.uint16()];
      payload.bytes(4);
      return () => glide(this.number("mireds") + (mode === 1 ? size : -size), time);
    });
  }

  /** Handles a command that moves a colour. Only a lamp that is on obeys, unless the options say otherwise. */
  #onMove(command: number, read: (payload: ByteReader) => () => void): void {
    const handler: Handler = (payload) => {
      const move = read(payload);
      const [mask, override] = payload.remaining >= 2 ? [payload.uint8(), payload.uint8()] : [0, 0];
      const options = (this.number("options") & ~mask) | (override & mask);
      if (this.#onOff.isOn || (options & executeIfOff) !== 0) move();
      return undefined;
    };
    this.on(command, handler);
  }

  /** @param tenths of a second. */
  #glide(mode: Mode, targets: Targets, tenths: number): void {
    this.set({ mode: modes[mode], enhancedMode: modes[mode] });
    const names = Object.keys(targets) as Movable[];
    const from = Object.fromEntries(names.map((name) => [name, this.number(name)]));
    this.#ramp.start(this.host, { from: 0, to: 1, ms: tenths * 100 }, (share) => {
      const values = names.map((name) => {
        const start = from[name] ?? 0;
        const value = Math.round(start + ((targets[name] ?? start) - start) * share);
        return [name, name === "hue" ? ((value % turn) + turn) % turn : value];
      });
      this.set(Object.fromEntries(values) as Targets);
    });
  }

  /**
   * Returns the target of a hue in a direction: 0 shortest, 1 longest, 2 up, 3 down. It lies outside one turn
   * when the way passes zero.
   */
  #hueTo(hue: number, direction: number): number {
    const from = this.number("hue");
    const up = (hue - from + turn) % turn;
    const down = up === 0 ? 0 : up - turn;
    const [shorter, longer] = up <= -down ? [up, down] : [down, up];
    return from + ([shorter, longer, up, down][direction] ?? shorter);
  }

  #stop(): undefined {
    this.#ramp.stop();
  }
}

function bounded(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
