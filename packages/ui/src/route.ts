import { signal } from "@preact/signals";

/** Where the page is: the hash of its address, such as `#/devices/ID?filter=hall`. */
export interface Route {
  readonly screen: string;
  /** What the screen shows one of; null for the whole screen. */
  readonly id: string | null;
  readonly query: Readonly<Record<string, string>>;
}

/** Returns the route that a hash names; Home for an empty one. */
export function routeOf(hash: string): Route {
  const [path = "", search = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [screen = "", id] = path.split("/");
  return {
    screen: screen === "" ? "home" : screen,
    id: id === undefined || id === "" ? null : decoded(id),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the hash of a route. */
export function hrefOf(screen: string, id?: string | null, query: Route["query"] = {}): string {
  const place = screen === "home" ? "" : screen;
  const one = id === undefined || id === null ? "" : `/${encodeURIComponent(id)}`;
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return `#/${place}${one}${search === "" ? "" : `?${search}`}`;
}

export const route = signal<Route>(routeOf(""));
