import type { Upcasters } from "./event.ts";
import { ruleUpcasters } from "./rule.ts";
import { sceneUpcasters } from "./scene.ts";

/** Every upcaster of every aggregate, keyed `<type>@<version it reads>`. */
export const upcasters: Upcasters = { ...ruleUpcasters, ...sceneUpcasters };
