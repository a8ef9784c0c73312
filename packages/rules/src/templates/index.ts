import { Catalogue } from "../catalogue/catalogue.ts";
import { airQualityVent } from "./air-quality-vent.ts";
import { allOff } from "./all-off.ts";
import { applianceDone } from "./appliance-done.ts";
import { autoOff } from "./auto-off.ts";
import { awaySimulation } from "./away-simulation.ts";
import { batteryLow } from "./battery-low.ts";
import { bindOnOff } from "./bind-on-off.ts";
import { cameraSnapshot } from "./camera-snapshot.ts";
import { deviceOffline } from "./device-offline.ts";
import { doorChime } from "./door-chime.ts";
import { doorLeftOpen } from "./door-left-open.ts";
import { doubleTapScene } from "./double-tap-scene.ts";
import { emergencyButton } from "./emergency-button.ts";
import { evCharge } from "./ev-charge.ts";
import { freezeTempLimit } from "./freeze-temp-limit.ts";
import { heatingCurve } from "./heating-curve.ts";
import { humidityFan } from "./humidity-fan.ts";
import { inactivityCare } from "./inactivity-care.ts";
import { intrusionAlarm } from "./intrusion-alarm.ts";
import { irrigation } from "./irrigation.ts";
import { leakAlertValve } from "./leak-alert-valve.ts";
import { lockAutoLock } from "./lock-auto-lock.ts";
import { motionLight } from "./motion-light.ts";
import { nightLight } from "./night-light.ts";
import { numberLimit } from "./number-limit.ts";
import { onOffThermostat } from "./on-off-thermostat.ts";
import { powerOverload } from "./power-overload.ts";
import { presenceArriveLeave } from "./presence-arrive-leave.ts";
import { remoteControl } from "./remote-control.ts";
import { sceneScheduler } from "./scene-scheduler.ts";
import { smokeCoAlarm } from "./smoke-co-alarm.ts";
import { spotCheapest } from "./spot-cheapest.ts";
import { spotLimit } from "./spot-limit.ts";
import { sunSchedule } from "./sun-schedule.ts";
import { sunriseWakeup } from "./sunrise-wakeup.ts";
import { textOneOf } from "./text-one-of.ts";
import { thermostatSchedule } from "./thermostat-schedule.ts";
import { truthFor } from "./truth-for.ts";
import { twilightLight } from "./twilight-light.ts";
import { vacationMode } from "./vacation-mode.ts";
import { windowOpenPause } from "./window-open-pause.ts";

/** All templates of this release, in the order in which clients list them. */
export const catalogue = new Catalogue([
  motionLight,
  nightLight,
  twilightLight,
  sunSchedule,
  remoteControl,
  doubleTapScene,
  bindOnOff,
  autoOff,
  allOff,
  sunriseWakeup,
  awaySimulation,
  vacationMode,
  presenceArriveLeave,
  thermostatSchedule,
  onOffThermostat,
  heatingCurve,
  windowOpenPause,
  humidityFan,
  airQualityVent,
  leakAlertValve,
  smokeCoAlarm,
  freezeTempLimit,
  doorLeftOpen,
  intrusionAlarm,
  cameraSnapshot,
  doorChime,
  lockAutoLock,
  batteryLow,
  deviceOffline,
  powerOverload,
  spotCheapest,
  spotLimit,
  evCharge,
  irrigation,
  applianceDone,
  inactivityCare,
  emergencyButton,
  numberLimit,
  truthFor,
  textOneOf,
  sceneScheduler,
]);
