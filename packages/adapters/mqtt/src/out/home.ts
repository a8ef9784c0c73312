import { limits, optionalOrNull } from "@ledge/model";
import type { AdapterRequest } from "@ledge/port";
import { misfitOf, refuseSetting } from "@ledge/port";
import Type from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.Union([Type.String(), Type.Null()]);
const id = Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$" });

const Device = Type.Object({
  id,
  name: Type.String(),
  class: Type.String(),
  capabilities: Type.Array(Type.String()),
  state: Type.Record(Type.String(), Type.Unknown()),
  manufacturer: Text,
  model: Text,
  room: Text,
  buttons: Type.Optional(Type.Array(Type.Unknown())),
  effects: Type.Optional(Type.Array(Type.Unknown())),
});
/** A device of the hub, as Home Assistant sees it. */
export type ServedDevice = Readonly<Type.Static<typeof Device>>;

const Other = Type.Union([
  Type.Object({
    id,
    kind: Type.Literal("group"),
    name: Type.String(),
    members: Type.Array(Type.String()),
    room: Text,
  }),
  Type.Object({
    id,
    kind: Type.Union([Type.Literal("scene"), Type.Literal("rule")]),
    name: Type.String(),
    isOn: Type.Boolean(),
  }),
]);
/** A group, scene or rule of the hub. */
export type ServedOther = Readonly<Type.Static<typeof Other>>;
export type ServedGroup = Extract<ServedOther, { kind: "group" }>;

const Hub = Type.Object({ hubId: id, hubName: Type.String(), version: Type.String() });
/** What the hub says of itself. */
export type ServedHub = Readonly<Type.Static<typeof Hub>>;

const Home = Compile(
  Type.Object({
    full: Type.Boolean(),
    devices: Type.Array(Type.Tuple([id, Type.Union([Device, Type.Literal("hidden"), Type.Null()])]), {
      maxItems: limits.devices,
    }),
    others: Type.Array(Type.Tuple([id, Type.Union([Other, Type.Null()])])),
    presses: Type.Array(Type.Tuple([id, Type.Unknown(), Type.Unknown()])),
    mqtt: optionalOrNull(Hub),
  }),
);

/** What the hub tells of its home. `mqtt` null: it shows nothing any more; absent: as before. */
export interface HomeRequest {
  /** Everything is told; otherwise what has changed. */
  readonly full: boolean;
  /** `hidden` and null: it is not shown. */
  readonly devices: readonly (readonly [id: string, device: ServedDevice | "hidden" | null])[];
  readonly others: readonly (readonly [id: string, other: ServedOther | null])[];
  /** Keys that were pressed, in their order. */
  readonly presses: readonly (readonly [device: string, button: unknown, modifiers: unknown])[];
  readonly mqtt?: ServedHub | null | undefined;
}

/** Reads SERVE_HOME. @throws AdapterError `settings` */
export function readHome(request: AdapterRequest): HomeRequest {
  if (Home.Check(request)) return request;
  const { steps, reason } = misfitOf(Home, request);
  return refuseSetting(steps.join("."), reason);
}
