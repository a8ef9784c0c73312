import type { RemoteCalls as Port } from "@ledge/api";
import type { Clock, Kernel } from "@ledge/kernel";
import { limits, type NoteRemoteCalls, type RemoteCalled } from "@ledge/model";

type Call = Pick<RemoteCalled, "user" | "row" | "status">;

/** Calls that are identical in user, row and status. */
interface Kind extends Call {
  /** The number of calls that are not recorded yet. */
  count: number;
  /** Whether further calls are being collected, because the first was recorded. */
  waits: boolean;
}

/**
 * Records the calls through the relay (decision 48): the first call of a kind at once, further ones together
 * once in `limits.remoteCallMs`. Counts that cannot be stored are kept.
 */
export class RemoteCalls implements Port {
  readonly #kernel: Pick<Kernel, "submit">;
  readonly #clock: Pick<Clock, "after">;
  readonly #hubId: string;
  readonly #known = new Map<string, Kind>();
  /** Kinds of unknown callers. They must not use up the places of known ones. */
  readonly #unknown = new Map<string, Kind>();
  /** Calls beyond the limits of kinds. */
  readonly #rest: Kind = { user: null, row: null, status: null, count: 0, waits: true };
  #cancel: (() => void) | undefined;

  constructor(kernel: Pick<Kernel, "submit">, clock: Pick<Clock, "after">, hubId: string) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#hubId = hubId;
  }

  called(user: string | null, row: string | null, status: number): void {
    const kind = this.#kindOf(user, row, status);
    kind.count++;
    if (!kind.waits) void this.#note([kind], true);
    this.#await();
  }

  /** Records the remaining counts and stops the timers. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = () => {};
    await this.#note(this.#all(), false);
  }

  #kindOf(user: string | null, row: string | null, status: number | null): Kind {
    const kinds = user === null ? this.#unknown : this.#known;
    const key = `${status} ${row} ${user}`;
    const found = kinds.get(key);
    if (found !== undefined) return found;
    if (kinds.size >= (user === null ? limits.unknownCallKinds : limits.remoteCallKinds)) return this.#rest;
    const kind = { user, row, status, count: 0, waits: false };
    kinds.set(key, kind);
    return kind;
  }

  #all(): Kind[] {
    return [...this.#known.values(), ...this.#unknown.values(), this.#rest];
  }

  #await(): void {
    this.#cancel ??= this.#clock.after(limits.remoteCallMs, () => {
      this.#cancel = undefined;
      for (const kinds of [this.#known, this.#unknown])
        for (const [key, { count }] of kinds) if (count === 0) kinds.delete(key);
      void this.#note(this.#all(), true);
      if (this.#known.size + this.#unknown.size > 0) this.#await();
    });
  }

  async #note(kinds: readonly Kind[], quiet: boolean): Promise<void> {
    const calls = kinds.flatMap((kind) => {
      const { user, row, status, count } = kind;
      Object.assign(kind, { count: 0, waits: true });
      return count === 0 ? [] : [{ user, row, status, count }];
    });
    if (calls.length === 0) return;
    const commands = calls.map((call): NoteRemoteCalls => ({
      type: "NOTE_REMOTE_CALLS",
      id: this.#hubId,
      ...call,
    }));
    try {
      await this.#kernel.submit({ commands, origin: "system", quiet });
    } catch {
      for (const { user, row, status, count } of calls) {
        const kind = status === null ? this.#rest : this.#kindOf(user, row, status);
        Object.assign(kind, { count: kind.count + count, waits: true });
      }
      this.#await();
    }
  }
}
