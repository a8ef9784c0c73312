import { Basic } from "../clusters/basic.ts";
import { Client } from "../clusters/client.ts";
import type { HueHow } from "../clusters/hue-button.ts";
import { HueButton, signify } from "../clusters/hue-button.ts";
import { Identify } from "../clusters/identify.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { deviceIds, onBattery } from "../identity.ts";

const buttons = { on: 1, up: 2, down: 3, off: 4 } as const;
type Button = keyof typeof buttons;
type Stroke = readonly [cluster: number, command: number, payload: readonly number[]];

const [onOff, level] = [0x0006, 0x0008];
/**
 * The standard command that each button sends on endpoint 1, in addition to the notification of Philips' cluster
 * on endpoint 2.
 */
const strokes: Readonly<Record<Button, Partial<Record<HueHow, Stroke>>>> = {
  on: { press: [onOff, 0x01, []] },
  off: { press: [onOff, 0x40, [0, 0]] },
  up: {
    press: [level, 0x02, [0, 30, 9, 0]],
    hold: [level, 0x02, [0, 56, 9, 0]],
    longRelease: [level, 0x03, []],
  },
  down: {
    press: [level, 0x02, [1, 30, 9, 0]],
    hold: [level, 0x02, [1, 56, 9, 0]],
    longRelease: [level, 0x03, []],
  },
};
const lightLink = 0xc05e;

/** Hue's configuration of the switch, in the basic cluster. */
const config = { id: 0x0031, type: "map16", value: 0, isWritable: true, manufacturer: signify } as const;

/** Hue dimmer switch (RWL021): standard commands on endpoint 1, Philips' own notifications on endpoint 2. */
export class HueDimmer extends ZclDevice {
  readonly #clients: readonly Client[];
  readonly #own: HueButton;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity) {
    const product = { powerSource: "battery", ...identity.product } as const;
    const clients = [new Client(onOff), new Client(level)];
    const [own, power] = [new HueButton(), new PowerConfiguration({ percent: 100 })];
    const further = { profile: lightLink, output: [0x0000, 0x0003, 0x0004, 0x0005] };
    super(
      onBattery(
        identity,
        new Endpoint(1, deviceIds.sceneController, [new Basic(product), ...clients], further),
        new Endpoint(2, 0x000c, [new Basic(product, config), power, new Identify(), own], {
          output: [0x0019],
        }),
      ),
    );
    this.#clients = clients;
    this.#own = own;
    this.#power = power;
  }

  /**
   * Simulates a button. A short press is `press` and `release`; a long one is `press`, `hold` (repeatedly) and
   * `longRelease`.
   */
  press(button: Button, how: HueHow = "press"): void {
    const stroke = strokes[button][how];
    if (stroke) {
      const [cluster, command, payload] = stroke;
      this.#clients.find((one) => one.id === cluster)?.tell(command, payload);
    }
    this.#own.tell(buttons[button], how, how === "press" ? 0 : 8);
  }

  battery(percent: number): void {
    this.#power.show(percent, 3);
  }
}
