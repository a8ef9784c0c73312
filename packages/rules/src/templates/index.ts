import { Catalogue } from "../catalogue.ts";
import { airQualityVent } from "./air-quality-vent.ts";
import { applianceDone } from "./appliance-done.ts";
import { autoOff } from "./auto-off.ts";
import { heatingCurve } from "./heating-curve.ts";
import { humidityFan } from "./humidity-fan.ts";
import { motionLight } from "./motion-light.ts";
import { onOffThermostat } from "./on-off-thermostat.ts";
import { powerOverload } from "./power-overload.ts";
import { sceneScheduler } from "./scene-scheduler.ts";
import { windowOpenPause } from "./window-open-pause.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([
  motionLight,
  airQualityVent,
  applianceDone,
  autoOff,
  heatingCurve,
  humidityFan,
  onOffThermostat,
  powerOverload,
  sceneScheduler,
  windowOpenPause,
]);
