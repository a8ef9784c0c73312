import { hash, timingSafeEqual } from "node:crypto";
import { limits } from "@ledge/model";
import Type from "typebox";
import { Compile } from "typebox/compile";
import type { Digests } from "../keys/digests.ts";
import { type Failed, invalidFields } from "./errors.ts";

/** The fields with which a message asks for a page. */
export const pageFields = {
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSizeMost })),
  next: Type.Optional(Type.Union([Type.String({ maxLength: limits.listCursorChars }), Type.Null()])),
  prev: Type.Optional(Type.Union([Type.String({ maxLength: limits.listCursorChars }), Type.Null()])),
};
const PageFields = Type.Object(pageFields);
export type PageFields = Type.Static<typeof PageFields>;

/** Returns the fields of a result that is a page of a list. */
export function pageOf<Item extends Type.TSchema>(item: Item) {
  const cursor = Type.Union([Type.String(), Type.Null()]);
  return { data: Type.Array(item), links: Type.Object({ next: cursor, prev: cursor }) };
}

/** The place of an item in a list: the value by which it is ordered, then its id. */
export type Place = readonly [value: string, id: string];

/** What a list shows. A cursor holds for one list only. */
export interface Listing<Item> {
  /** Names the list, its order and its filters. */
  readonly name: string;
  readonly items: Iterable<Item>;
  readonly placeOf: (item: Item) => Place;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly links: { readonly next: string | null; readonly prev: string | null };
}

const Content = Compile(
  Type.Object({ list: Type.String(), place: Type.Tuple([Type.String(), Type.String()]) }),
);

/** Signs and checks the cursors of lists. */
export class Cursors {
  readonly #digests: Digests;

  constructor(digests: Digests) {
    this.#digests = digests;
  }

  /** Returns a page of a list in memory, or why its cursor is not one of this list. */
  page<Item>(listing: Listing<Item>, fields: PageFields): Page<Item> | Failed {
    const { name, placeOf } = listing;
    const { pageSize = limits.pageSize, next = null, prev = null } = fields;
    if (next !== null && prev !== null)
      return invalidFields([{ field: "prev", message: "goes without next" }]);
    const from = next ?? prev;
    const field = next === null ? "prev" : "next";
    const place = from === null ? undefined : this.#open(from, name);
    if (from !== null && place === undefined)
      return invalidFields([{ field, message: "is not a cursor of this list" }]);
    const all = [...listing.items].toSorted((one, other) => compare(placeOf(one), placeOf(other)));
    const start = place === undefined ? 0 : startOf(all.map(placeOf), place, next !== null, pageSize);
    const data = all.slice(start.valueOf(), start + pageSize);
    return { data, links: this.#links(listing, all, start, data.length) };
  }

  #links<Item>(
    { name, placeOf }: Listing<Item>,
    all: readonly Item[],
    start: number,
    count: number,
  ): Page<Item>["links"] {
    const cursorAt = (item: Item | undefined): string | null =>
      item === undefined ? null : this.#seal(name, placeOf(item));
    return {
      next: start + count < all.length ? cursorAt(all[start + count - 1]) : null,
      prev: start > 0 ? cursorAt(all[start]) : null,
    };
  }

  #seal(list: string, place: Place): string {
    const content = Buffer.from(JSON.stringify({ list: digestOf(list), place })).toString("base64url");
    return `${content}.${this.#signature(content)}`;
  }

  #open(cursor: string, list: string): Place | undefined {
    const [content = "", signature = ""] = cursor.split(".");
    const signed = Buffer.from(this.#signature(content));
    const given = Buffer.from(signature);
    if (given.length !== signed.length || !timingSafeEqual(given, signed)) return undefined;
    const parsed: unknown = JSON.parse(Buffer.from(content, "base64url").toString());
    return Content.Check(parsed) && parsed.list === digestOf(list) ? parsed.place : undefined;
  }

  #signature(content: string): string {
    return this.#digests.of("cursor", content);
  }
}

function digestOf(list: string): string {
  return hash("sha256", list, "base64url").slice(0, 16);
}

function compare([value, id]: Place, [otherValue, otherId]: Place): number {
  if (value !== otherValue) return value < otherValue ? -1 : 1;
  return id === otherId ? 0 : id < otherId ? -1 : 1;
}

/** Returns where a page begins: after a place, or so that it ends before the place. */
function startOf(places: readonly Place[], place: Place, isNext: boolean, pageSize: number): number {
  if (isNext) {
    const after = places.findIndex((each) => compare(each, place) > 0);
    return after < 0 ? places.length : after;
  }
  const before = places.findIndex((each) => compare(each, place) >= 0);
  return Math.max(0, (before < 0 ? places.length : before) - pageSize);
}
