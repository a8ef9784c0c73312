import type { CoordinatorStick, CoordinatorStickOptions, SimulatedKind } from "./coordinator-stick.ts";
import { DeconzStick } from "./deconz/stick.ts";
import { EmberStick } from "./ember/stick.ts";
import { Stick } from "./znp/stick.ts";

/** Makes a simulated stick by the name of its protocol. */
export const sticks: Readonly<Record<SimulatedKind, (options: CoordinatorStickOptions) => CoordinatorStick>> =
  {
    zstack: (options) => new Stick(options),
    ember: (options) => new EmberStick(options),
    deconz: (options) => new DeconzStick(options),
  };
