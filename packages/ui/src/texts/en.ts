import { api } from "./en/api.ts";
import { cloud } from "./en/cloud.ts";
import { custom } from "./en/custom.ts";
import { device } from "./en/device.ts";
import { devices } from "./en/devices.ts";
import { first } from "./en/first.ts";
import { energy } from "./en/energy.ts";
import { features } from "./en/features.ts";
import { services } from "./en/services.ts";
import { joining } from "./en/joining.ts";
import { health } from "./en/health.ts";
import { home } from "./en/home.ts";
import { network } from "./en/network.ts";
import { pair } from "./en/pair.ts";
import { panel } from "./en/panel.ts";
import { people } from "./en/people.ts";
import { rule } from "./en/rule.ts";
import { rules } from "./en/rules.ts";
import { scenes } from "./en/scenes.ts";
import { shell } from "./en/shell.ts";
import { system } from "./en/system.ts";
import { timeline } from "./en/timeline.ts";
import { values } from "./en/values.ts";
import { wired } from "./en/wired.ts";
import type { Translated } from "./text.ts";

/** The texts of the interface in English; other languages have the same keys. */
export const en = {
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

export type Key = keyof typeof en;
/** The texts of a language. */
export type Texts = Translated<typeof en>;
