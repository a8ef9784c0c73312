import { Catalogue } from "../catalogue.ts";
import { allOff } from "./all-off.ts";
import { autoOff } from "./auto-off.ts";
import { bindOnOff } from "./bind-on-off.ts";
import { doubleTapScene } from "./double-tap-scene.ts";
import { leakAlertValve } from "./leak-alert-valve.ts";
import { motionLight } from "./motion-light.ts";
import { nightLight } from "./night-light.ts";
import { remoteControl } from "./remote-control.ts";
import { sceneScheduler } from "./scene-scheduler.ts";
import { sunSchedule } from "./sun-schedule.ts";
import { twilightLight } from "./twilight-light.ts";
import { batteryLow } from "./battery-low.ts";
import { deviceOffline } from "./device-offline.ts";
import { doorLeftOpen } from "./door-left-open.ts";
import { emergencyButton } from "./emergency-button.ts";
import { freezeTempLimit } from "./freeze-temp-limit.ts";
import { intrusionAlarm } from "./intrusion-alarm.ts";
import { smokeCoAlarm } from "./smoke-co-alarm.ts";
import { airQualityVent } from "./air-quality-vent.ts";
import { applianceDone } from "./appliance-done.ts";
import { heatingCurve } from "./heating-curve.ts";
import { humidityFan } from "./humidity-fan.ts";
import { onOffThermostat } from "./on-off-thermostat.ts";
import { powerOverload } from "./power-overload.ts";
import { irrigation } from "./irrigation.ts";
import { thermostatSchedule } from "./thermostat-schedule.ts";
import { vacationMode } from "./vacation-mode.ts";
import { windowOpenPause } from "./window-open-pause.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([
  motionLight,
  autoOff,
  bindOnOff,
  allOff,
  doubleTapScene,
  remoteControl,
  nightLight,
  twilightLight,
  sunSchedule,
  sceneScheduler,
  leakAlertValve,
  smokeCoAlarm,
  freezeTempLimit,
  doorLeftOpen,
  intrusionAlarm,
  emergencyButton,
  batteryLow,
  deviceOffline,
  airQualityVent,
  applianceDone,
  heatingCurve,
  humidityFan,
  onOffThermostat,
  powerOverload,
  irrigation,
  thermostatSchedule,
  vacationMode,
  windowOpenPause,
]);
