import { BacnetInstance, limits, optionalOrNull } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { checkedSetting } from "@ledge/port";
import Type from "typebox";
import type { ServedEntry } from "./exposed.ts";
import type { ServerSettings } from "./server.ts";

const Served = Type.Object({
  id: Type.String(),
  name: Type.String(),
  class: Type.String(),
  capabilities: Type.Array(Type.String()),
  state: Type.Record(Type.String(), Type.Unknown()),
});
const Home = Type.Object({
  full: Type.Boolean(),
  devices: Type.Array(
    Type.Tuple([Type.String(), Type.Union([Served, Type.Literal("hidden"), Type.Null()])]),
    {
      maxItems: limits.devices,
    },
  ),
  bacnet: optionalOrNull(
    Type.Object({
      deviceId: BacnetInstance,
      deviceName: Type.String({ minLength: 1 }),
      port: Type.Integer({ minimum: 0, maximum: 65_535 }),
      broadcast: Type.Boolean(),
      timeZone: Type.String(),
      version: Type.String(),
    }),
  ),
});

/** What the hub tells its servers of other protocols. `bacnet` null: the server is off; absent: as before. */
export interface HomeRequest {
  readonly full: boolean;
  readonly devices: readonly ServedEntry[];
  readonly bacnet?: ServerSettings | null | undefined;
}

/** Reads SERVE_HOME. @throws AdapterError `settings` */
export function readHome(request: AdapterRequest): HomeRequest {
  return checkedSetting(Home, request, "");
}
