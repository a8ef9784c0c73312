import { limits } from "@ledge/model";
import Type from "typebox";

/** The source of prices (`prices` of a profile). */
export const PriceSettings = Type.Object(
  {
    /** An address of http or https, or a file, relative to the data folder. */
    source: Type.String({ minLength: 1 }),
    /** The bidding zone, such as `FI`; optional for a source with only one. */
    area: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameChars })),
    /** The hour of the hub's day at which tomorrow's prices can be expected. Default: 14. */
    publishedHour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
  },
  { additionalProperties: false },
);
export type PriceSettings = Type.Static<typeof PriceSettings>;
