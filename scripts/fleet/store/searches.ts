import { type ListQuery, plainList, type RegisterStore } from "@ledge/fleet";
import { quantile } from "../hubs/measured.ts";
import { idOf, nameOf, serialOf } from "./rows.ts";

/** One way in which clients list devices, asked of a register with so many. */
export interface Search {
  readonly name: string;
  readonly query: (index: number) => Partial<ListQuery>;
}

/** What lists of the API ask for. `index` is of a device anywhere in the register. */
export const searches: readonly Search[] = [
  { name: "page by id", query: (at) => ({ from: { value: idOf(at), id: idOf(at) } }) },
  {
    name: "page by name",
    query: (at) => ({ orderBy: "name", from: { value: nameOf(at).toLowerCase(), id: idOf(at) } }),
  },
  { name: "last page by name", query: () => ({ orderBy: "name", descending: true }) },
  { name: "search of one", query: (at) => ({ search: serialOf(at).toLowerCase() }) },
  { name: "search of one in 120", query: () => ({ search: "sauna valve" }) },
  { name: "search of none", query: () => ({ search: "no such thing" }) },
  { name: "search by name", query: () => ({ orderBy: "name", search: "motion sensor" }) },
  { name: "filter of one in 4", query: () => ({ filters: { type: "thermostat" } }) },
  { name: "filter of one in 700", query: (at) => ({ filters: { model: `m-${at % 700}` } }) },
  { name: "filter of a tag", query: () => ({ filters: { tags: ["floor:3"] } }) },
  { name: "filter of none", query: () => ({ filters: { serialNumber: "none" } }) },
  { name: "page by type", query: () => ({ orderBy: "type" }) },
  { name: "page by serial number", query: () => ({ orderBy: "serialnumber" }) },
];

/** How long an answer took, and what the database took of a processor for it: on a busy machine that alone says something. */
export interface SearchFound {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpu50Ms: number;
  readonly cpu99Ms: number;
}

/**
 * Asks for a page again and again, somewhere else each time.
 * @param ranMs returns how long the database has run so far
 */
export async function searched(
  store: Pick<RegisterStore, "page">,
  { register, devices }: { readonly register: string; readonly devices: number },
  { query }: Search,
  { times, ranMs }: { readonly times: number; readonly ranMs: () => number },
): Promise<SearchFound> {
  const [taken, ran]: [number[], number[]] = [[], []];
  for (let count = 0; count < times; count++) {
    const asked = { ...plainList, ...query((count * 7877) % devices) };
    const [began, before] = [performance.now(), ranMs()];
    await store.page(register, asked);
    taken.push(performance.now() - began);
    ran.push(ranMs() - before);
  }
  const found = { p50Ms: msOf(taken, 0.5), p99Ms: msOf(taken, 0.99) };
  return { ...found, cpu50Ms: msOf(ran, 0.5), cpu99Ms: msOf(ran, 0.99) };
}

export const msOf = (taken: readonly number[], part: number): number =>
  Number((quantile(taken, part) ?? 0).toFixed(1));
