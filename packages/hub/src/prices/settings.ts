import { limits } from "@ledge/model";
import Type from "typebox";

/** Where prices come from (`prices` of a profile). */
export const PriceSettings = Type.Object(
  {
    /** An address of http or https, or a file, relative to the data folder. */
    source: Type.String({ minLength: 1 }),
    /** The bidding zone, such as `FI`; left out where the source has but one. */
    area: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameChars })),
    /** The hour of the hub's day after which tomorrow's prices can be expected; 14 when left out. */
    publishedHour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  },
  { additionalProperties: false },
);
export type PriceSettings = Type.Static<typeof PriceSettings>;
