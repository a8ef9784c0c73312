import { Catalogue } from "../catalogue.ts";
import { autoOff } from "./auto-off.ts";
import { batteryLow } from "./battery-low.ts";
import { deviceOffline } from "./device-offline.ts";
import { doorLeftOpen } from "./door-left-open.ts";
import { emergencyButton } from "./emergency-button.ts";
import { freezeTempLimit } from "./freeze-temp-limit.ts";
import { intrusionAlarm } from "./intrusion-alarm.ts";
import { leakAlertValve } from "./leak-alert-valve.ts";
import { lockAutoLock } from "./lock-auto-lock.ts";
import { motionLight } from "./motion-light.ts";
import { sceneScheduler } from "./scene-scheduler.ts";
import { smokeCoAlarm } from "./smoke-co-alarm.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([
  motionLight,
  autoOff,
  leakAlertValve,
  smokeCoAlarm,
  freezeTempLimit,
  doorLeftOpen,
  intrusionAlarm,
  emergencyButton,
  batteryLow,
  deviceOffline,
  sceneScheduler,
  lockAutoLock,
]);
