import { Word } from "@ledge/model";
import Type from "typebox";
import { askAll, doneBy } from "../adapter-answers.ts";
import { notFound } from "../refused.ts";
import { row } from "../row.ts";

const PairInfo = Type.Object({
  type: Type.Literal("433_PAIR_INFO"),
  id: Type.String(),
  name: Type.String(),
  manufacturer: Type.String(),
});
type PairInfo = Type.Static<typeof PairInfo>;

export const rf433 = [
  row({
    method: "GET",
    path: "/hub/433devices",
    summary: "Kinds of 433 MHz devices that can be paired; none where there is no radio",
    access: "USER_ADMIN",
    result: Type.Array(PairInfo),
    handle: async (call) => (await askAll<PairInfo>(call, "GET_433_DEVICES")).map(({ item }) => item),
  }),
  row({
    method: "POST",
    path: "/hub/pair433",
    summary: "Pairs a 433 MHz device of a kind",
    access: "USER_ADMIN",
    query: Type.Object({ device433: Word }),
    result: Type.Literal(true),
    async handle(call) {
      const id = call.query.device433;
      const kinds = await askAll<PairInfo>(call, "GET_433_DEVICES");
      const kind = kinds.find(({ item }) => item.id === id);
      if (kind === undefined) return notFound(`no 433 MHz device ${id}`);
      return doneBy(call, { type: "PAIR_433", id }, "this hub has no 433 MHz radio", kind.protocol);
    },
  }),
];
