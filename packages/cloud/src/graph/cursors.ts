import { comparePositions, type Links, listHash, type Position, readCursor, signCursor } from "@ledge/fleet";
import { limits } from "@ledge/model";
import Type from "typebox";
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

/** What a list shows. A cursor holds for one list only. */
export interface Listing<Item> {
  /** Names the list, its order and its filters. */
  readonly name: string;
  readonly items: Iterable<Item>;
  /** The value by which an item is ordered, then its id. */
  readonly placeOf: (item: Item) => Position;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly links: Links;
}

/** Signs and checks the cursors of lists. */
export class Cursors {
  readonly #key: Uint8Array;

  /** @param key as for `signCursor` */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Returns a page of a list in memory, or why its cursor is not one of this list. */
  page<Item>(listing: Listing<Item>, fields: PageFields): Page<Item> | Failed {
    const { name, placeOf } = listing;
    const { pageSize = limits.pageSize, next = null, prev = null } = fields;
    if (next !== null && prev !== null)
      return invalidFields([{ field: "prev", message: "goes without next" }]);
    const from = next ?? prev;
    const field = next === null ? "prev" : "next";
    const place = from === null ? undefined : this.#placeIn(from, name);
    if (from !== null && place === undefined)
      return invalidFields([{ field, message: "is not a cursor of this list" }]);
    const all = [...listing.items].toSorted((one, other) => comparePositions(placeOf(one), placeOf(other)));
    const start = place === undefined ? 0 : startOf(all.map(placeOf), place, next !== null, pageSize);
    const data = all.slice(start, start + pageSize);
    return { data, links: this.#links(listing, all, start, data.length) };
  }

  #links<Item>({ name, placeOf }: Listing<Item>, all: readonly Item[], start: number, count: number): Links {
    const list = listHash(name);
    const cursorAt = (item: Item | undefined): string | null =>
      item === undefined ? null : signCursor(this.#key, { list, from: placeOf(item) });
    return {
      next: start + count < all.length ? cursorAt(all[start + count - 1]) : null,
      prev: start > 0 ? cursorAt(all[start]) : null,
    };
  }

  #placeIn(text: string, name: string): Position | undefined {
    const cursor = readCursor(this.#key, text);
    return cursor?.list === listHash(name) ? cursor.from : undefined;
  }
}

/** Returns where a page begins: after a place, or so that it ends before the place. */
function startOf(places: readonly Position[], place: Position, isNext: boolean, pageSize: number): number {
  if (isNext) {
    const after = places.findIndex((each) => comparePositions(each, place) > 0);
    return after < 0 ? places.length : after;
  }
  const before = places.findIndex((each) => comparePositions(each, place) >= 0);
  return Math.max(0, (before < 0 ? places.length : before) - pageSize);
}
