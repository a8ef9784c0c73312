import { extraOf, Id, limits, orNull } from "@ledge/model";
import Type from "typebox";
import { hubOf } from "../call.ts";
import { askerOf, refusedAhead } from "../past.ts";
import { notFound, Refused } from "../refused.ts";
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

/** What an attribute came to in an hour, a day or a month. Energy in kWh, money in `currency`. */
const SummedPoint = Type.Object({
  min: Type.Number(),
  max: Type.Number(),
  /** Weighted by time. */
  avg: Type.Number(),
  /** For how long (ms) a value was known. */
  ms: Type.Number(),
  first: Type.Number(),
  last: Type.Number(),
  count: Type.Integer(),
  /** By how much it rose, falls left out. */
  rise: Type.Number(),
  /** Of a meter or of power; null for other attributes. */
  kWh: orNull(Type.Number()),
  /** By the price of each quarter of an hour; null where no price was known, or none was asked for. */
  cost: orNull(Type.Number()),
  /** How much of `kWh` had no known price. */
  unpriced: Type.Number(),
});
export type SummedPoint = Type.Static<typeof SummedPoint>;

const SeriesName = { deviceId: Id, attribute: Type.String({ minLength: 1, maxLength: limits.nameChars }) };

/** What attributes of devices came to. */
const SummedHistory = Type.Object({
  type: Type.Literal("SUMMED_HISTORY"),
  bucket: Type.String(),
  /** Whose hours, days and months they are. */
  timezone: Type.String(),
  /** From when on all is known. */
  oldest: Time,
  /** When each hour, day or month begins. */
  starts: Type.Array(Time),
  /** When the last one ends. */
  end: Time,
  currency: orNull(Type.String()),
  /** A point for each start; null where no number was known. */
  series: Type.Array(Type.Object({ ...SeriesName, points: Type.Array(orNull(SummedPoint)) })),
});
export type SummedHistory = Type.Static<typeof SummedHistory>;

const Bucketed = Type.Union([Type.Literal("hour"), Type.Literal("day"), Type.Literal("month")]);

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
      return past.ask("history", asked, askerOf(call), { signal: call.signal });
    },
  }),
  row({
    method: "POST",
    path: "/devices/history",
    summary:
      "What attributes of devices came to by the hour, day or month of the hub's zone, and what energy cost",
    access: "IDENTIFIED_USER",
    feature: "VIEW_HISTORY",
    body: Type.Object({
      series: Type.Array(Type.Object(SeriesName), { minItems: 1, maxItems: limits.historySeries }),
      bucket: Bucketed,
      from: Time,
      to: Type.Optional(Time),
      prices: Type.Optional(Type.Boolean()),
    }),
    result: SummedHistory,
    handle(call) {
      const { caller, body, hub } = call;
      const { kernel, past } = hub;
      const { series, bucket, from, to = kernel.now(), prices = false } = body;
      const refused = refusedAhead("from", from, hub);
      if (refused !== undefined) return refused;
      for (const [index, { deviceId }] of series.entries()) {
        const device = kernel.get("device", deviceId);
        const isShown =
          device !== undefined && device.type !== "UI_DEVICE" && kernel.readable("device", deviceId, caller);
        if (!isShown) return unknownIn(index, deviceId);
      }
      const { timezone } = hubOf(hub);
      const asked = { series, bucket, timezone, from, to, prices };
      return past.ask("sums", asked, askerOf(call), { signal: call.signal });
    },
  }),
];

function unknownIn(index: number, deviceId: string): Refused {
  const message = `no device ${deviceId}`;
  return new Refused(404, message, [{ field: `series.${index}.deviceId`, message }]);
}
