import type { Texts } from "./en.ts";
import { api } from "./fi/api.ts";
import { cloud } from "./fi/cloud.ts";
import { custom } from "./fi/custom.ts";
import { device } from "./fi/device.ts";
import { devices } from "./fi/devices.ts";
import { first } from "./fi/first.ts";
import { energy } from "./fi/energy.ts";
import { features } from "./fi/features.ts";
import { services } from "./fi/services.ts";
import { joining } from "./fi/joining.ts";
import { health } from "./fi/health.ts";
import { home } from "./fi/home.ts";
import { network } from "./fi/network.ts";
import { pair } from "./fi/pair.ts";
import { panel } from "./fi/panel.ts";
import { people } from "./fi/people.ts";
import { rule } from "./fi/rule.ts";
import { rules } from "./fi/rules.ts";
import { scenes } from "./fi/scenes.ts";
import { shell } from "./fi/shell.ts";
import { system } from "./fi/system.ts";
import { timeline } from "./fi/timeline.ts";
import { values } from "./fi/values.ts";
import { wired } from "./fi/wired.ts";

/** The texts of the interface in Finnish. */
export const fi: Texts = {
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
