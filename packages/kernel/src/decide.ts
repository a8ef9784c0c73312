import type {
  AnyDecider,
  Cause,
  Command,
  DomainEvent,
  LoggedEvent,
  Origin,
  Reaction,
  Reader,
  Rejection,
  World,
} from '@ledge/model';
import { eventRef, isRejection, limits } from '@ledge/model';
import type { Layer } from './layer.ts';
import { Overlay } from './layer.ts';
import type { CommandResult } from './submission.ts';

/** The chain of causes that a command stands in. */
export interface Chain {
  readonly origin: Origin;
  readonly cause?: Cause;
  readonly root?: Cause;
  readonly depth: number;
}

/** A command of a cascade that did not fit into the commit and is decided in the next. */
export interface Continuation {
  readonly command: Command;
  readonly chain: Chain;
}

/** What a submission comes to: its events and the overlay that shows them, not merged yet. */
export interface Decided {
  readonly results: CommandResult[];
  readonly refused: { readonly index: number; readonly rejection: Rejection } | undefined;
  readonly events: LoggedEvent[];
  readonly overlay: Overlay;
  /** True when reactions added events: even quiet telemetry is then committed at once. */
  readonly reacted: boolean;
  /** How many more commands of reactions the commit takes. */
  readonly reactionsLeft: number;
  readonly continuations: Continuation[];
}

/** A throw in `evolve`: the log would hold an event that nothing can apply, so the process must end. */
export class EvolveError extends Error {
  override readonly name = 'EvolveError';
}

interface Step {
  readonly event: LoggedEvent;
  readonly ref: Cause;
}

/** Routes commands and events to their aggregates and lets reactions follow. Pure but for the ids it is lent. */
export class Deciders {
  readonly #byCommand = new Map<string, AnyDecider>();
  readonly #byEvent = new Map<string, { readonly decider: AnyDecider; readonly version: number }>();
  readonly #reactions = new Map<string, Reaction[]>();
  readonly #newId: () => string;

  constructor(aggregates: readonly AnyDecider[], reactions: readonly Reaction[], newId: () => string) {
    this.#newId = newId;
    for (const decider of aggregates) {
      for (const type of decider.commands) this.#byCommand.set(type, decider);
      for (const { type, version } of decider.events) this.#byEvent.set(type, { decider, version });
    }
    for (const reaction of reactions) {
      for (const type of reaction.on) {
        const found = this.#reactions.get(type);
        if (found) found.push(reaction);
        else this.#reactions.set(type, [reaction]);
      }
    }
  }

  /**
   * Decides a submission over `below`. The first of its events will stand at `firstIndex` of the commit.
   * @throws whatever a decider throws (nothing is applied then), EvolveError when evolve does.
   */
  decide(
    commands: readonly Command[],
    chain: Chain,
    each: boolean,
    place: { readonly below: Layer; readonly timestamp: number; readonly firstIndex: number; readonly reactionsLeft: number },
  ): Decided {
    const overlay = new Overlay(place.below);
    const decided = { results: [] as CommandResult[], events: [] as LoggedEvent[], overlay, continuations: [] as Continuation[] };
    let reacted = false;
    let reactionsLeft = place.reactionsLeft;
    for (const [index, command] of commands.entries()) {
      const from = decided.events.length;
      const rejection = this.#decideOne(command, chain, overlay, place, decided.events);
      if (rejection !== undefined) {
        if (!each) return { ...decided, events: [], continuations: [], overlay: new Overlay(place.below), reacted: false, reactionsLeft: place.reactionsLeft, refused: { index, rejection } };
        decided.results.push({ rejection });
        continue;
      }
      const own = decided.events.length;
      reactionsLeft -= this.#cascade(from, reactionsLeft, overlay, place, decided.events, decided.continuations);
      reacted ||= decided.events.length > own;
      const id = decided.events[from]?.id ?? this.#byCommand.get(command.type)?.target(command);
      decided.results.push({ id, events: own - from });
    }
    return { ...decided, reacted, reactionsLeft, refused: undefined };
  }

  /** The state that an event leads to, over a layer; used live and on replay alike. */
  apply(event: LoggedEvent, timestamp: number, layer: Layer): void {
    const known = this.#byEvent.get(event.type);
    if (known === undefined) throw new EvolveError(`no aggregate knows the event ${event.type}`);
    const { kind } = known.decider;
    try {
      const before = layer.get(kind, event.id) as never;
      layer.set(kind, event.id, known.decider.evolve(before, event, timestamp));
    } catch (cause) {
      throw new EvolveError(`${event.type} at ${timestamp} cannot be applied`, { cause });
    }
  }

  #decideOne(
    command: Command,
    chain: Chain,
    overlay: Overlay,
    place: { readonly timestamp: number; readonly firstIndex: number },
    events: LoggedEvent[],
  ): Rejection | undefined {
    const decider = this.#byCommand.get(command.type);
    if (decider === undefined) return { rejected: 'invalid', message: `no command ${command.type}`, field: 'type' };
    const id = decider.target(command);
    const state = id === undefined ? undefined : overlay.get(decider.kind, id);
    const decision = decider.decide(command, state as never, this.#world(overlay, place.timestamp));
    if (isRejection(decision)) return decision;
    for (const event of decision) {
      const logged = this.#envelop(event, chain);
      events.push(logged);
      this.apply(logged, place.timestamp, overlay);
    }
    return undefined;
  }

  /** Lets reactions follow events breadth first; returns how many of their commands were decided. */
  #cascade(
    from: number,
    allowed: number,
    overlay: Overlay,
    place: { readonly timestamp: number; readonly firstIndex: number },
    events: LoggedEvent[],
    continuations: Continuation[],
  ): number {
    let used = 0;
    for (let at = from; at < events.length; at++) {
      const event = events[at] as LoggedEvent;
      const reactions = this.#reactions.get(event.type);
      if (reactions === undefined || event.depth >= limits.cascadeDepth) continue;
      const step = { event, ref: eventRef(place.timestamp, place.firstIndex + at) };
      for (const reaction of reactions) {
        for (const command of reaction.react(event, overlay as Reader)) {
          if (used >= allowed) continuations.push({ command, chain: follow(step) });
          // What an aggregate refuses here does not fit its state any more: there is nobody to tell.
          else this.#decideOne(command, follow(step), overlay, place, events);
          used++;
        }
      }
    }
    return Math.min(used, allowed);
  }

  #envelop(event: DomainEvent, chain: Chain): LoggedEvent {
    const known = this.#byEvent.get(event.type);
    const logged: Record<string, unknown> = { ...event, version: known?.version ?? 1, origin: chain.origin, depth: chain.depth };
    if (chain.cause !== undefined) logged['cause'] = chain.cause;
    if (chain.root !== undefined) logged['root'] = chain.root;
    return logged as unknown as LoggedEvent;
  }

  #world(overlay: Overlay, now: number): World {
    return {
      now,
      newId: this.#newId,
      get: (kind, id) => overlay.get(kind, id) as never,
      all: (kind) => overlay.all(kind) as never,
      size: (kind) => overlay.size(kind),
    };
  }
}

function follow({ event, ref }: Step): Chain {
  return { origin: event.origin, cause: ref, root: event.root ?? event.cause ?? ref, depth: event.depth + 1 };
}
