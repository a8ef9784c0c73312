import { Color } from "../clusters/color.ts";
import type { ColorOptions } from "../clusters/color-attributes.ts";
import { Groups } from "../clusters/groups.ts";
import type { Identify } from "../clusters/identify.ts";
import { Level } from "../clusters/level.ts";
import { OnOff } from "../clusters/on-off.ts";
import { buildOf, Ota } from "../clusters/ota.ts";
import { Scenes } from "../clusters/scenes.ts";
import { Touchlink } from "../clusters/touchlink.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

const firstVersion = 0x0100_0001;

interface LampOptions {
  readonly color?: ColorOptions;
  readonly endpoint?: number;
  readonly imageType?: number;
}

/** A dimmable lamp, with or without colours. Takes new firmware. */
export class Lamp extends ZclDevice {
  readonly onOff: OnOff;
  readonly ota: Ota;
  readonly #level: Level;
  readonly #color: Color | undefined;

  constructor(identity: Identity, { color, endpoint = 1, imageType = 0x0104 }: LampOptions = {}) {
    const onOff = new OnOff();
    const level = new Level(onOff);
    const colors = color && new Color(onOff, color);
    const { manufacturerCode } = identity;
    const ota = new Ota({ manufacturerCode, imageType, version: firstVersion });
    const product = { softwareBuild: buildOf(firstVersion), ...identity.product };
    const common = commonClusters({ ...identity, product });
    const clusters = [
      ...common,
      new Groups(),
      new Scenes(),
      onOff,
      level,
      ...(colors ? [colors] : []),
      new Touchlink(),
      ota,
    ];
    super(mains(identity, new Endpoint(endpoint, lampId(color), clusters)));
    this.onOff = onOff;
    this.ota = ota;
    this.#level = level;
    this.#color = colors;
  }

  get isOn(): boolean {
    return this.onOff.isOn;
  }

  /** 1 to 254. */
  get level(): number {
    return this.#level.number("level");
  }

  /** Undefined for a lamp without colours. */
  get color(): Color | undefined {
    return this.#color;
  }

  get identify(): Identify {
    return this.endpoints[0]?.cluster(0x0003, "server") as Identify;
  }

  /** Simulates a press of its own button. */
  pressLocally(): void {
    this.onOff.turn(!this.isOn);
  }
}

function lampId(color: ColorOptions | undefined): number {
  if (!color) return deviceIds.dimmableLight;
  return color.features.includes("xy") ? deviceIds.colorLight : deviceIds.colorTemperatureLight;
}
