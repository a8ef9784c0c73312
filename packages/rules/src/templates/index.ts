import { Catalogue } from "../catalogue.ts";
import { autoOff } from "./auto-off.ts";
import { motionLight } from "./motion-light.ts";
import { sceneScheduler } from "./scene-scheduler.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([motionLight, autoOff, sceneScheduler]);
