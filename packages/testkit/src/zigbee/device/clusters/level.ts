import { Cluster, within } from "../cluster.ts";
import { Ramp } from "../ramp.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";
import type { Status } from "../zcl/status.ts";
import { status } from "../zcl/status.ts";
import type { Value } from "../zcl/types.ts";
import type { OnOff } from "./on-off.ts";

type Name = "level" | "remainingTime" | "min" | "max" | "options" | "transition" | "onLevel" | "startUp";

/** Stands for the device's own transition time. */
const ownTime = 0xffff;
/** Steps per second of a move at the device's own rate. */
const ownRate = 50;
const executeIfOff = 0x01;

/** The last fields of each command, since ZCL 7: which options it overrides, and how. */
const overrides = ["map8", "map8"] as const;

/** Null is ff on the wire: as before. */
const startUpLevel = (value: Value): Status => (value === null ? status.success : within(0, 254)(value));

/** Brightness of a lamp, 1 to 254 (0x0008). */
export class Level extends Cluster<Name> {
  readonly #onOff: OnOff;
  readonly #ramp = new Ramp();

  constructor(onOff: OnOff, level = 254) {
    super(0x0008, {
      level: { id: 0x0000, type: "uint8", value: level, isReportable: true },
      remainingTime: { id: 0x0001, type: "uint16", value: 0 },
      min: { id: 0x0002, type: "uint8", value: 1 },
      max: { id: 0x0003, type: "uint8", value: 254 },
      options: { id: 0x000f, type: "map8", value: 0, isWritable: true },
      transition: { id: 0x0010, type: "uint16", value: 0, isWritable: true },
      onLevel: { id: 0x0011, type: "uint8", value: null, isWritable: true },
      startUp: { id: 0x4000, type: "uint8", value: null, isWritable: true, check: startUpLevel },
    });
    this.#onOff = onOff;
    onOff.onChange = (isOn) => this.#switched(isOn);
    for (const withOnOff of [false, true]) {
      const base = withOnOff ? 4 : 0;
      this.on(base, (payload) => {
        const [wanted, time] = [payload.uint8(), payload.uint16()];
        return this.#go(payload, withOnOff, wanted, time);
      });
      this.takes(base, ["uint8", "uint16"], overrides);
      this.takes(base + 1, ["enum8", "uint8"], overrides);
      this.takes(base + 2, ["enum8", "uint8", "uint16"], overrides);
      this.takes(base + 3, [], overrides);
      this.on(base + 1, (payload) => this.#move(payload, withOnOff));
      this.on(base + 2, (payload) => this.#step(payload, withOnOff));
      this.on(base + 3, () => this.#stop());
    }
  }

  override poweredOn(): void {
    const startUp = this.get("startUp");
    if (typeof startUp === "number") this.set({ level: this.#bounded(startUp) });
  }

  override sceneFields(): Uint8Array {
    return write().uint8(this.number("level")).done();
  }

  override recall(fields: ByteReader, transitionMs: number): void {
    this.#ramp.start(
      this.host,
      { from: this.number("level"), to: fields.uint8(), ms: transitionMs },
      (level) => this.set({ level: Math.round(level) }),
    );
  }

  /** @param time tenths of a second. */
  #go(payload: ByteReader, withOnOff: boolean, wanted: number, time: number): undefined {
    const [mask, override] = payload.remaining >= 2 ? [payload.uint8(), payload.uint8()] : [0, 0];
    const options = (this.number("options") & ~mask) | (override & mask);
    if (!withOnOff && !this.#onOff.isOn && (options & executeIfOff) === 0) return;
    const to = this.#bounded(wanted);
    const isOff = withOnOff && to === this.number("min") && wanted <= this.number("min");
    if (withOnOff && !isOff) this.#quietly(true);
    const ms = 100 * (time === ownTime ? this.number("transition") : time);
    this.#ramp.start(this.host, { from: this.number("level"), to, ms }, (level, isEnd) => {
      this.set({
        level: Math.round(level),
        remainingTime: Math.ceil(this.#ramp.remainingMs(this.host) / 100),
      });
      if (isEnd && isOff) this.#quietly(false);
    });
  }

  #move(payload: ByteReader, withOnOff: boolean): undefined {
    const [mode, rate] = [payload.uint8(), payload.uint8()];
    const to = this.number(mode === 0 ? "max" : "min");
    const perSecond = rate === 0xff ? ownRate : Math.max(1, rate);
    this.#go(payload, withOnOff, to, Math.round((Math.abs(to - this.number("level")) * 10) / perSecond));
  }

  #step(payload: ByteReader, withOnOff: boolean): undefined {
    const [mode, size, time] = [payload.uint8(), payload.uint8(), payload.uint16()];
    this.#go(payload, withOnOff, this.number("level") + (mode === 0 ? size : -size), time);
  }

  #stop(): undefined {
    this.#ramp.stop();
    this.set({ remainingTime: 0 });
  }

  /** Follows the on/off cluster: restores the level from before it was off, or the one for switching on. */
  #switched(isOn: boolean): void {
    this.#stop();
    const onLevel = this.get("onLevel");
    if (isOn && typeof onLevel === "number") this.set({ level: this.#bounded(onLevel) });
  }

  /** Switches without the effect on the level. */
  #quietly(isOn: boolean): void {
    const consequence = this.#onOff.onChange;
    this.#onOff.onChange = undefined;
    this.#onOff.turn(isOn);
    this.#onOff.onChange = consequence;
  }

  #bounded(level: number): number {
    return Math.min(this.number("max"), Math.max(this.number("min"), level));
  }
}
