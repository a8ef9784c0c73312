import { type Origin, type Reader, type States, userIn } from "@ledge/model";
import { ruleTitle } from "../engine/scheduled.ts";

/** An object with its name. */
export interface Named {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** Returns whether the reader may learn this user's name. */
export type MayName = (user: string) => boolean;

const kinds = ["device", "group", "scene", "rule", "room", "zone", "alarm", "hub", "user"] as const;

/** The names of objects. */
export class Names {
  readonly #names = new Map<string, string>();
  /** The home's time zone. */
  readonly zone: string;

  constructor(home: Pick<Reader, "all" | "get">, mayName: MayName) {
    let zone = "UTC";
    for (const kind of kinds) {
      for (const [id, state] of home.all(kind)) {
        if (kind !== "user" || mayName(id)) this.#names.set(`${kind}/${id}`, nameIn(kind, state));
      }
    }
    for (const [, { timezone }] of home.all("hub")) zone = timezone;
    this.zone = zone;
  }

  /** Returns the object's name, or its id when the object is gone. */
  of(kind: string, id: string): string {
    if (kind === "rule") return ruleTitle(id, (of, one) => this.of(of, one)) ?? this.#plain(kind, id);
    return this.#plain(kind, id);
  }

  #plain(kind: string, id: string): string {
    return this.#names.get(`${kind}/${id}`) || id;
  }

  /** Returns a user's name; undefined when the reader may not learn it, or it is unknown. */
  user(id: string): string | undefined {
    return this.#names.get(`user/${id}`);
  }

  object(kind: string, id: string): Named {
    return { kind, id, name: kind === "user" ? (this.user(id) ?? "") : this.of(kind, id) };
  }

  /** Returns an origin without the user when the reader may not learn who that is. */
  origin(origin: Origin): string {
    const user = userIn(origin);
    return user !== undefined && this.user(user) === undefined ? "user" : origin;
  }
}

function nameIn(kind: (typeof kinds)[number], state: States[(typeof kinds)[number]]): string {
  const {
    name,
    config,
    user_info: info,
  } = state as {
    readonly name?: string;
    readonly config?: { readonly name: string };
    readonly user_info?: { readonly user: { readonly nickname: string } };
  };
  return (kind === "user" ? info?.user.nickname : kind === "rule" ? config?.name : name) ?? "";
}
