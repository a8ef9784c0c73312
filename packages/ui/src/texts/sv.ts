import type { Texts } from "./en.ts";
import { api } from "./sv/api.ts";
import { cloud } from "./sv/cloud.ts";
import { custom } from "./sv/custom.ts";
import { device } from "./sv/device.ts";
import { devices } from "./sv/devices.ts";
import { first } from "./sv/first.ts";
import { energy } from "./sv/energy.ts";
import { features } from "./sv/features.ts";
import { services } from "./sv/services.ts";
import { joining } from "./sv/joining.ts";
import { health } from "./sv/health.ts";
import { home } from "./sv/home.ts";
import { network } from "./sv/network.ts";
import { pair } from "./sv/pair.ts";
import { panel } from "./sv/panel.ts";
import { people } from "./sv/people.ts";
import { rule } from "./sv/rule.ts";
import { rules } from "./sv/rules.ts";
import { scenes } from "./sv/scenes.ts";
import { shell } from "./sv/shell.ts";
import { system } from "./sv/system.ts";
import { timeline } from "./sv/timeline.ts";
import { values } from "./sv/values.ts";
import { wired } from "./sv/wired.ts";

/** The texts of the interface in Swedish. */
export const sv: Texts = {
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
