import { Cluster } from "../cluster.ts";
import type { ByteReader } from "../zcl/bytes.ts";
import { write } from "../zcl/bytes.ts";

type Name = "onOff" | "globalSceneControl" | "onTime" | "offWaitTime" | "startUp";

/** The values of `startUp`: the state after power returns. Null means the state from before. */
const startUps = { off: 0, on: 1, toggle: 2 } as const;

/** On and off (0x0006). */
export class OnOff extends Cluster<Name> {
  #cancel: () => void = () => undefined;
  /** Called after each change, for clusters that depend on the state. */
  onChange: ((isOn: boolean) => void) | undefined;

  constructor(reportsUnasked = false) {
    super(
      0x0006,
      {
        onOff: { id: 0x0000, type: "bool", value: false, isReportable: true },
        globalSceneControl: { id: 0x4000, type: "bool", value: true },
        onTime: { id: 0x4001, type: "uint16", value: 0, isWritable: true },
        offWaitTime: { id: 0x4002, type: "uint16", value: 0, isWritable: true },
        startUp: { id: 0x4003, type: "enum8", value: null, isWritable: true },
      },
      { reportsUnasked },
    );
    this.on(0x00, () => this.turn(false));
    this.on(0x01, () => this.turn(true));
    this.on(0x02, () => this.turn(!this.isOn));
    this.on(0x40, () => {
      this.set({ globalSceneControl: false });
      return this.turn(false);
    });
    this.on(0x41, () => {
      this.set({ globalSceneControl: true });
      return this.turn(true);
    });
    for (const plain of [0x00, 0x01, 0x02, 0x41]) this.takes(plain, []);
    this.takes(0x40, ["enum8", "uint8"]);
    this.takes(0x42, ["map8", "uint16", "uint16"]);
    this.on(0x42, (payload) => this.#onWithTimedOff(payload));
  }

  get isOn(): boolean {
    return this.get("onOff") === true;
  }

  turn(isOn: boolean): undefined {
    this.#cancel();
    this.set({ onTime: 0, offWaitTime: 0 });
    this.#show(isOn);
  }

  override poweredOn(): void {
    const startUp = this.get("startUp");
    if (startUp === startUps.off) this.turn(false);
    else if (startUp === startUps.on) this.turn(true);
    else if (startUp === startUps.toggle) this.turn(!this.isOn);
  }

  override sceneFields(): Uint8Array {
    return write().uint8(Number(this.isOn)).done();
  }

  override recall(fields: ByteReader): void {
    this.turn(fields.uint8() === 1);
  }

  #show(isOn: boolean): void {
    if (isOn === this.isOn) return;
    this.set({ onOff: isOn });
    this.onChange?.(isOn);
  }

  /** Switches on for a limited time. Times in tenths of a second, like the attributes. */
  #onWithTimedOff(payload: ByteReader): undefined {
    const onlyWhenOn = (payload.uint8() & 0x01) !== 0;
    const [onTime, offWaitTime] = [payload.uint16(), payload.uint16()];
    if (onlyWhenOn && !this.isOn) return;
    if (this.number("offWaitTime") > 0 && !this.isOn) {
      this.set({ offWaitTime: Math.min(this.number("offWaitTime"), offWaitTime) });
      return;
    }
    this.set({ onTime: Math.max(this.number("onTime"), onTime), offWaitTime });
    this.#show(true);
    if (this.number("onTime") !== 0xffff) this.#countDown();
  }

  #countDown(): void {
    this.#cancel();
    const name = this.isOn ? "onTime" : "offWaitTime";
    const left = this.number(name);
    if (left === 0 && this.isOn) this.#show(false);
    else if (left === 0) return;
    else this.set({ [name]: left - 1 });
    this.#cancel = this.host.after(100, () => this.#countDown());
  }
}
