import { extraOf, Id, limits, orNull } from "@ledge/model";
import Type from "typebox";
import { askerOf, refusedAhead } from "../past.ts";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";

const Time = Type.Integer({ minimum: 0, description: "ms since the epoch" });
const Value = Type.Unknown();
const span = {
  deviceId: Id,
  attribute: Type.String(),
  from: Time,
  to: Time,
  /** From when on all is known. */
  oldest: Time,
  /** What held when it begins. */
  before: orNull(Type.Object({ value: Value })),
};
const Bucket = Type.Object({
  from: Time,
  min: Type.Number(),
  max: Type.Number(),
  avg: Type.Number(),
  first: Type.Number(),
  last: Type.Number(),
  count: Type.Integer(),
});

/** What a device has reported of one attribute, or of which attributes it has. */
const DeviceHistory = Type.Union([
  Type.Object({ deviceId: Id, oldest: Time, attributes: Type.Array(Type.String()) }),
  Type.Object({
    ...span,
    form: Type.Literal("samples"),
    points: Type.Array(Type.Object({ timestamp: Time, value: Value })),
  }),
  Type.Object({ ...span, form: Type.Literal("buckets"), points: Type.Array(Bucket) }),
  Type.Object({
    ...span,
    form: Type.Literal("changes"),
    points: Type.Array(Type.Object({ from: Time, value: Value, ms: Type.Integer() })),
  }),
  Type.Object({
    ...span,
    form: Type.Literal("shares"),
    points: Type.Array(
      Type.Object({
        from: Time,
        values: Type.Array(Type.Object({ value: Value, ms: Type.Integer() })),
        count: Type.Integer(),
      }),
    ),
  }),
]);

export const deviceHistory = [
  row({
    method: "GET",
    path: "/devices/history",
    summary:
      "What a device has reported of an attribute, in so many points; without an attribute, of which there is something",
    access: "IDENTIFIED_USER",
    feature: "VIEW_HISTORY",
    query: Type.Object({
      deviceId: Id,
      attribute: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameChars })),
      from: Type.Optional(Time),
      to: Type.Optional(Time),
      points: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.historyPoints })),
    }),
    result: DeviceHistory,
    handle(call) {
      const { caller, query, hub } = call;
      const { kernel, past } = hub;
      const { deviceId, attribute, from, to, points = limits.historyPointsUsual } = query;
      const refused = refusedAhead("from", from, hub);
      if (refused !== undefined) return refused;
      const device = kernel.get("device", deviceId);
      if (device !== undefined && !kernel.readable("device", deviceId, caller))
        return notFound(`no device ${deviceId}`);
      if (device?.type === "UI_DEVICE") return notFound("no history is kept of what is a person's");
      const isKnown = device !== undefined;
      const hasAttribute =
        isKnown &&
        attribute !== undefined &&
        (Object.hasOwn(device.state, attribute) || extraOf(device.state, attribute) !== undefined);
      const asked = { deviceId, attribute, from, to, points, isKnown, hasAttribute };
      return past.ask("history", asked, askerOf(call));
    },
  }),
];
