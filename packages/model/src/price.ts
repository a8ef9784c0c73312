import Type from "typebox";
import { lazyValidator } from "./lazy-validator.ts";
import type { Decider, Decision, Rejection, World } from "./decider.ts";
import { isRejection, reject } from "./decider.ts";
import type { EventOf } from "./event.ts";
import { defineEvent, telemetry } from "./event.ts";
import { limits } from "./limits.ts";
import { Id } from "./schema.ts";

/** The price of energy in a span: `start` inclusive, `end` exclusive (ms since the epoch); it may be negative. */
export const PriceSlot = Type.Object({ start: Type.Integer(), end: Type.Integer(), price: Type.Number() });
export type PriceSlot = Type.Static<typeof PriceSlot>;

const area = Type.String({ minLength: 1, maxLength: limits.nameChars });
/** As in ISO 4217. */
const currency = Type.String({ pattern: "^[A-Z]{3}$" });

/** The known prices: one slot for each quarter of an hour, in order of time; there may be gaps. */
export const Prices = Type.Object({
  type: Type.Literal("PRICES"),
  /** The bidding zone, such as `FI`. */
  area,
  currency,
  /** The unit that a price is for. */
  unit: Type.Literal("kWh"),
  slots: Type.Array(PriceSlot),
  timestamp: Type.Integer(),
});
export type Prices = Type.Static<typeof Prices>;

declare module "./states.ts" {
  interface States {
    price: Prices;
  }
}

/** Sets prices: slots of a quarter of an hour or of an hour, in order of time. Other slots stay. */
export const SetPrices = Type.Object({
  type: Type.Literal("SET_PRICES"),
  /** The hub's id. */
  id: Id,
  area,
  currency,
  unit: Type.Literal("kWh"),
  slots: Type.Array(PriceSlot, { maxItems: limits.priceSlots }),
});
export type SetPrices = Type.Static<typeof SetPrices>;

/** `slots` is everything that is kept, earlier times too. */
const PricesReceived = telemetry(
  defineEvent("PricesReceived", 1, {
    area: Type.String(),
    currency: Type.String(),
    slots: Type.Array(PriceSlot),
  }),
);
export type PricesReceived = EventOf<typeof PricesReceived>;

const wellFormed = lazyValidator(SetPrices);
const hourMs = 4 * limits.priceSlotMs;

/** One instance, with the hub's id. */
export const price: Decider<Prices, SetPrices, PricesReceived> = {
  kind: "price",
  commands: ["SET_PRICES"],
  events: [PricesReceived],

  target: ({ id }) => id,

  decide(command, state, world) {
    if (!wellFormed.Check(command)) {
      const [error] = wellFormed.Errors(command);
      const field = error?.instancePath.slice(1).replaceAll("/", ".");
      return reject("invalid", `invalid prices: ${field} ${error?.message}`, field);
    }
    if (world.get("hub", command.id) === undefined) return reject("not-found", `no hub ${command.id}`, "id");
    const given = quarters(command.slots);
    return isRejection(given) ? given : receive(command, given, state, world);
  },

  evolve(_state, { area: of, currency: paid, slots }, timestamp) {
    return { type: "PRICES", area: of, currency: paid, unit: "kWh", slots, timestamp };
  },
};

/**
 * Returns the slot at a time (ms since the epoch); undefined where the price is not known.
 * @param slots in order of time, as those of Prices
 */
export function slotAt(slots: readonly PriceSlot[], at: number): PriceSlot | undefined {
  let from = 0;
  let to = slots.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const slot = slots[middle] as PriceSlot;
    if (at < slot.start) to = middle;
    else if (at >= slot.end) from = middle + 1;
    else return slot;
  }
  return undefined;
}

/** Splits slots into quarters of an hour, or returns what is wrong with the first invalid one. */
function quarters(slots: readonly PriceSlot[]): readonly PriceSlot[] | Rejection {
  const split: PriceSlot[] = [];
  for (const [index, { start, end, price: of }] of slots.entries()) {
    const wrong = (message: string): Rejection => reject("invalid", message, `slots.${index}`);
    const length = end - start;
    if (length !== limits.priceSlotMs && length !== hourMs)
      return wrong("a slot is a quarter of an hour or an hour long");
    if (start % limits.priceSlotMs !== 0) return wrong("a slot begins on a quarter of an hour");
    if (start < (split.at(-1)?.end ?? start)) return wrong("a slot begins before the one before it ends");
    for (let at = start; at < end; at += limits.priceSlotMs)
      split.push({ start: at, end: at + limits.priceSlotMs, price: of });
  }
  return split;
}

/** Adds prices; those of another area or currency replace everything. */
function receive(
  { id, area: of, currency: paid }: SetPrices,
  given: readonly PriceSlot[],
  state: Prices | undefined,
  { now }: World,
): Decision<PricesReceived> {
  const isSameMarket = state?.area === of && state.currency === paid;
  const known = isSameMarket ? state.slots : [];
  const isKept = ({ start, end }: PriceSlot): boolean =>
    end > now - limits.pricesPastMs && start < now + limits.pricesAheadMs;
  const news = given.filter((slot) => isKept(slot) && slotAt(known, slot.start)?.price !== slot.price);
  if (news.length === 0) return [];
  const byStart = new Map([...known.filter(isKept), ...news].map((slot) => [slot.start, slot]));
  const slots = [...byStart.values()].toSorted((a, b) => a.start - b.start);
  return [{ type: "PricesReceived", id, area: of, currency: paid, slots } satisfies PricesReceived];
}
