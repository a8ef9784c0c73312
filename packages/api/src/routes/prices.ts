import { Prices } from "@ledge/model";
import Type from "typebox";
import { row } from "../row.ts";

export const prices = [
  row({
    method: "GET",
    path: "/hub/prices",
    summary:
      "What electricity costs by the quarter of an hour, as far as that is known; null where nothing is",
    access: "GUEST",
    past: "IDENTIFIED_USER",
    result: Type.Union([Prices, Type.Null()]),
    handle: ({ hub: { kernel, hubId } }) => kernel.get("price", hubId) ?? null,
  }),
];
