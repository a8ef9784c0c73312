import type { Texts } from "./en.ts";
import { api } from "./de/api.ts";
import { cloud } from "./de/cloud.ts";
import { custom } from "./de/custom.ts";
import { device } from "./de/device.ts";
import { devices } from "./de/devices.ts";
import { first } from "./de/first.ts";
import { energy } from "./de/energy.ts";
import { features } from "./de/features.ts";
import { services } from "./de/services.ts";
import { joining } from "./de/joining.ts";
import { health } from "./de/health.ts";
import { home } from "./de/home.ts";
import { network } from "./de/network.ts";
import { pair } from "./de/pair.ts";
import { panel } from "./de/panel.ts";
import { people } from "./de/people.ts";
import { rule } from "./de/rule.ts";
import { rules } from "./de/rules.ts";
import { scenes } from "./de/scenes.ts";
import { shell } from "./de/shell.ts";
import { system } from "./de/system.ts";
import { timeline } from "./de/timeline.ts";
import { values } from "./de/values.ts";
import { wired } from "./de/wired.ts";

/** The texts of the interface in German. */
export const de: Texts = {
  ...api,
  ...cloud,
  ...shell,
  ...first,
  ...energy,
  ...features,
  ...services,
  ...joining,
  ...health,
  ...home,
  ...custom,
  ...device,
  ...devices,
  ...network,
  ...pair,
  ...panel,
  ...people,
  ...rule,
  ...rules,
  ...scenes,
  ...system,
  ...timeline,
  ...values,
  ...wired,
};
