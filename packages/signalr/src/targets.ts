import type { HubOptions, HubUser, Method, Stream } from "./api.ts";
import type { ClientCall, Outcome } from "./protocol/messages.ts";

type ByName<Target> = ReadonlyMap<string, Target>;
type Refusal = Extract<Outcome, { readonly error: string }>;

/** The methods and streams that clients may call. */
export class Targets<User extends HubUser> {
  readonly #methods: ByName<Method<User>>;
  readonly #streams: ByName<Stream<User>>;

  constructor({ methods, streams }: Pick<HubOptions<User>, "methods" | "streams">) {
    this.#methods = byName(methods);
    this.#streams = byName(streams);
  }

  /** The method that a client calls; otherwise what to tell the client. */
  method({ target, streamIds }: ClientCall): Method<User> | Refusal {
    if (streamIds.length > 0) return noUploads;
    const name = target.toLowerCase();
    const method = this.#methods.get(name);
    if (method !== undefined) return method;
    const isStream = this.#streams.has(name);
    return { error: isStream ? `'${target}' is a stream: use stream.` : `Unknown method '${target}'.` };
  }

  /** The stream that a client calls; otherwise what to tell the client. */
  stream({ target, streamIds }: ClientCall): Stream<User> | Refusal {
    if (streamIds.length > 0) return noUploads;
    const name = target.toLowerCase();
    const stream = this.#streams.get(name);
    if (stream !== undefined) return stream;
    const isMethod = this.#methods.has(name);
    return { error: isMethod ? `'${target}' is not a stream: use invoke.` : `Unknown stream '${target}'.` };
  }
}

const noUploads: Refusal = { error: "Streams from the client are not supported." };

/** By lower-case name, so that clients may write names in any case, and no name reaches a prototype. */
function byName<Target>(table: Readonly<Record<string, Target>> = {}): ByName<Target> {
  return new Map(Object.entries(table).map(([name, target]) => [name.toLowerCase(), target]));
}
