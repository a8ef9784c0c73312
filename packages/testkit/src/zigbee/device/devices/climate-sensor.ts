import type { Cluster } from "../cluster.ts";
import type { Quantity } from "../clusters/measurement.ts";
import { Measurement } from "../clusters/measurement.ts";
import { Occupancy } from "../clusters/occupancy.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, onBattery } from "../identity.ts";

interface ClimateOptions {
  /** The measured quantities, each with the first value in its unit. */
  readonly measures: Partial<Record<Quantity, number>>;
  readonly hasOccupancy?: boolean;
  readonly endpoint?: number;
  readonly device?: number;
}

/** A sleepy climate sensor, with or without occupancy. */
export class ClimateSensor extends ZclDevice {
  readonly #measurements: ReadonlyMap<Quantity, Measurement>;
  readonly #occupancy: Occupancy;
  readonly #power: PowerConfiguration;

  constructor(identity: Identity, options: ClimateOptions) {
    const { endpoint = 1, device = deviceIds.temperatureSensor, hasOccupancy = false } = options;
    const first = Object.entries(options.measures) as [Quantity, number][];
    const measurements = new Map(
      first.map(([quantity, value]) => [quantity, new Measurement(quantity, value)]),
    );
    const [occupancy, power] = [new Occupancy(), new PowerConfiguration()];
    const sensors: readonly Cluster[] = [...measurements.values(), ...(hasOccupancy ? [occupancy] : [])];
    const clusters = [...commonClusters(identity, "battery"), power, ...sensors];
    super(onBattery(identity, new Endpoint(endpoint, device, clusters)));
    this.#measurements = measurements;
    this.#occupancy = occupancy;
    this.#power = power;
  }

  get isOccupied(): boolean {
    return this.#occupancy.isOccupied;
  }

  /** °C */
  setTemperature(celsius: number): void {
    this.measure("temperature", celsius);
  }

  measure(quantity: Quantity, value: number | null): void {
    const measurement = this.#measurements.get(quantity);
    if (!measurement) throw new Error(`it does not measure ${quantity}`);
    measurement.measure(value);
  }

  /** Simulates a movement. */
  move(): void {
    this.#occupancy.move();
  }

  battery(percent: number, volts = 2 + percent / 100): void {
    this.#power.show(percent, volts);
  }
}
