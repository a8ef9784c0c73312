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
import { sunriseWakeup } from "./sunrise-wakeup.ts";
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
  sunriseWakeup,
  sceneScheduler,
  leakAlertValve,
]);
