import type { coverings } from "../clusters/covering.ts";
import { Covering } from "../clusters/covering.ts";
import { Groups } from "../clusters/groups.ts";
import { PowerConfiguration } from "../clusters/power.ts";
import { Scenes } from "../clusters/scenes.ts";
import { ZclDevice } from "../device.ts";
import { Endpoint } from "../endpoint.ts";
import type { Identity } from "../identity.ts";
import { commonClusters, deviceIds, mains, onBattery } from "../identity.ts";

interface CoverOptions {
  readonly kind: keyof typeof coverings;
  readonly hasBattery?: boolean;
  readonly travelMs?: number;
}

/** A roller blind, or a blind with tilting slats. */
export class Cover extends ZclDevice {
  readonly #covering: Covering;

  constructor(identity: Identity, { kind, hasBattery = false, travelMs = 20_000 }: CoverOptions) {
    const covering = new Covering(kind, travelMs);
    const power = new PowerConfiguration({ percent: 100 });
    const own = hasBattery ? [...commonClusters(identity, "battery"), power] : commonClusters(identity);
    const clusters = [...own, new Groups(), new Scenes(), covering];
    const endpoint = new Endpoint(1, deviceIds.covering, clusters);
    super(hasBattery ? onBattery(identity, endpoint) : mains(identity, endpoint));
    this.#covering = covering;
  }

  /** 0 open to 100 closed. */
  get lift(): number {
    return this.#covering.number("lift");
  }

  get tilt(): number {
    return this.#covering.number("tilt");
  }

  get isMoving(): boolean {
    return this.#covering.isMoving;
  }

  /** Simulates a press of its button: it moves at its own speed. */
  pressLocally(lift: number): void {
    this.#covering.moveTo(lift);
  }

  /** Simulates an obstacle. */
  block(): void {
    this.#covering.stop();
  }
}
