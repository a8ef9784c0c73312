import { Catalogue } from "../catalogue.ts";
import { airQualityVent } from "./air-quality-vent.ts";
import { autoOff } from "./auto-off.ts";
import { humidityFan } from "./humidity-fan.ts";
import { motionLight } from "./motion-light.ts";
import { onOffThermostat } from "./on-off-thermostat.ts";
import { windowOpenPause } from "./window-open-pause.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([
  motionLight,
  airQualityVent,
  autoOff,
  humidityFan,
  onOffThermostat,
  windowOpenPause,
]);
