import { Catalogue } from "../catalogue.ts";
import { allOff } from "./all-off.ts";
import { autoOff } from "./auto-off.ts";
import { batteryLow } from "./battery-low.ts";
import { bindOnOff } from "./bind-on-off.ts";
import { cameraSnapshot } from "./camera-snapshot.ts";
import { deviceOffline } from "./device-offline.ts";
import { doorChime } from "./door-chime.ts";
import { doorLeftOpen } from "./door-left-open.ts";
import { doubleTapScene } from "./double-tap-scene.ts";
import { emergencyButton } from "./emergency-button.ts";
import { freezeTempLimit } from "./freeze-temp-limit.ts";
import { inactivityCare } from "./inactivity-care.ts";
import { intrusionAlarm } from "./intrusion-alarm.ts";
import { leakAlertValve } from "./leak-alert-valve.ts";
import { lockAutoLock } from "./lock-auto-lock.ts";
import { motionLight } from "./motion-light.ts";
import { nightLight } from "./night-light.ts";
import { remoteControl } from "./remote-control.ts";
import { sceneScheduler } from "./scene-scheduler.ts";
import { smokeCoAlarm } from "./smoke-co-alarm.ts";
import { sunSchedule } from "./sun-schedule.ts";
import { twilightLight } from "./twilight-light.ts";

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
  lockAutoLock,
  cameraSnapshot,
  doorChime,
  inactivityCare,
]);
