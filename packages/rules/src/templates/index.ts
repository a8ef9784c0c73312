import { Catalogue } from "../catalogue.ts";
import { autoOff } from "./auto-off.ts";
import { leakAlertValve } from "./leak-alert-valve.ts";
import { motionLight } from "./motion-light.ts";

/** Every template of the hub. */
export const catalogue = new Catalogue([motionLight, autoOff, leakAlertValve]);
