import { type Origin, type Reader, type States, userIn } from "@ledge/model";
import { ruleTitle } from "../scheduled.ts";

/** An object by its name. */
export interface Named {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** Whose name may be told. */
export type MayName = (user: string) => boolean;

const kinds = ["device", "group", "scene", "rule", "room", "zone", "alarm", "hub", "user"] as const;

/** What objects are called. */
export class Names {
  readonly #names = new Map<string, string>();
  /** The time zone of the home. */
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

  /** Its name; its id where nothing of it is left. */
  of(kind: string, id: string): string {
    if (kind === "rule") return ruleTitle(id, (of, one) => this.of(of, one)) ?? this.#plain(kind, id);
    return this.#plain(kind, id);
  }

  #plain(kind: string, id: string): string {
    return this.#names.get(`${kind}/${id}`) || id;
  }

  /** Undefined: who it is may not be told, or nobody knows. */
  user(id: string): string | undefined {
    return this.#names.get(`user/${id}`);
  }

  object(kind: string, id: string): Named {
    return { kind, id, name: kind === "user" ? (this.user(id) ?? "") : this.of(kind, id) };
  }

  /** An origin as the reader may know it. */
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
