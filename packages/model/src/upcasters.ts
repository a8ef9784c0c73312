import type { Upcasters } from "./event.ts";
import { ruleUpcasters } from "./rule.ts";
import { sceneUpcasters } from "./scene.ts";

/** All upcasters, keyed `<type>@<version that it reads>`. */
export const upcasters: Upcasters = { ...ruleUpcasters, ...sceneUpcasters };
