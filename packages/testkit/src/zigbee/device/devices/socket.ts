import { Electrical } from "../clusters/electrical.ts";
import { Groups } from "../clusters/groups.ts";
import { Metering } from "../clusters/metering.ts";
import { OnOff } from "../clusters/on-off.ts";
import { Scenes } from "../clusters/scenes.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains } from "../identity.ts";

/** A switched socket that measures its load. */
export class Socket extends ZclDevice {
  readonly onOff: OnOff;
  readonly #metering: Metering;
  readonly #electrical: Electrical;
  #load = 0;

  constructor(identity: Identity) {
    const onOff = new OnOff();
    const [metering, electrical] = [new Metering({ multiplier: 1, divisor: 100 }), new Electrical()];
    const clusters = [...commonClusters(identity), new Groups(), new Scenes(), onOff, metering, electrical];
    super(mains(identity, new Endpoint(1, deviceIds.plug, clusters)));
    this.onOff = onOff;
    this.#metering = metering;
    this.#electrical = electrical;
    onOff.onChange = () => this.#measure();
  }

  get isOn(): boolean {
    return this.onOff.isOn;
  }

  /** The counted energy. */
  get kiloWattHours(): number {
    return this.#metering.kiloWattHours;
  }

  /** Plugs in a load that draws this power while the socket is on. */
  load(watts: number): void {
    this.#load = watts;
    this.#measure();
  }

  pressLocally(): void {
    this.onOff.turn(!this.isOn);
  }

  #measure(): void {
    const watts = this.isOn ? this.#load : 0;
    this.#metering.draw(watts);
    this.#electrical.draw(watts);
  }
}
