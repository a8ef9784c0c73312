import type {
  AnyDecider,
  Cause,
  Chain,
  Command,
  Continuation,
  DomainEvent,
  Following,
  LoggedEvent,
  Reaction,
  Rejection,
  World,
} from "@ledge/model";
import { eventRef, isRejection, limits } from "@ledge/model";
import type { Layer } from "./layer.ts";
import { Overlay } from "./layer.ts";
import type { CommandResult } from "./submission.ts";

/** The context in which a submission is decided: the states, the commit, and what that commit can still take. */
export interface Place {
  readonly below: Layer;
  /** Timestamp (ms) of the commit. */
  readonly timestamp: number;
  /** Index of the first event in the commit. */
  readonly firstIndex: number;
  /** How many commands of reactions may still be decided. */
  readonly reactionsLeft: number;
}

/** The result of a submission: its events, and an overlay with their effect that is not yet merged. */
export interface Decided {
  readonly results: readonly CommandResult[];
  readonly refused: { readonly index: number; readonly rejection: Rejection } | undefined;
  readonly events: readonly LoggedEvent[];
  readonly overlay: Overlay;
  /** Whether reactions added events. Quiet telemetry is then committed at once too. */
  readonly reacted: boolean;
  /** How many more commands of reactions the commit can take. */
  readonly reactionsLeft: number;
  readonly continuations: readonly Continuation[];
}

/** `evolve` threw: the log would hold an event that cannot be applied, so the process must end. */
export class EvolveError extends Error {
  override readonly name = "EvolveError";
  /** The place of the event, when it came from the log. */
  readonly place: EventPlace | undefined;

  constructor(message: string, options?: ErrorOptions, place?: EventPlace) {
    super(message, options);
    this.place = place;
  }
}

/** The place of an event in the log. */
export interface EventPlace {
  /** Timestamp (ms) of its commit. */
  readonly timestamp: number;
  readonly index: number;
  readonly type: string;
}

/** The state of a submission while it is decided. */
interface Run {
  readonly overlay: Overlay;
  readonly world: World;
  readonly timestamp: number;
  readonly firstIndex: number;
  readonly events: LoggedEvent[];
  readonly continuations: Continuation[];
  reactionsLeft: number;
}

/** Routes commands and events to their aggregates and runs reactions. Pure except for the ids that it is given. */
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
   * Decides commands one after the other; each sees the effects of those before it.
   * @param each judges every command on its own; otherwise one rejection refuses all.
   * @throws whatever a decider throws (nothing is applied then), EvolveError when evolve does.
   */
  decide(commands: readonly Command[], chain: Chain, each: boolean, place: Place): Decided {
    const run = runAt(place, this.#newId);
    const results: CommandResult[] = [];
    let reacted = false;
    for (let index = 0; index < commands.length; index++) {
      const command = commands[index] as Command;
      const from = run.events.length;
      const rejection = this.#decideOne(command, chain, run);
      if (rejection !== undefined) {
        if (!each) return refusal(index, rejection, place);
        results.push({ rejection });
        continue;
      }
      const to = run.events.length;
      const id = run.events[from]?.id ?? this.#byCommand.get(command.type)?.target(command);
      results.push({ id, events: to - from });
      this.#cascade(from, run);
      reacted ||= run.events.length > to;
    }
    const { events, overlay, reactionsLeft, continuations } = run;
    return { results, refused: undefined, events, overlay, reacted, reactionsLeft, continuations };
  }

  /**
   * Applies an event as it was recorded.
   * @returns the commands of reactions to it, which `carryOn` decides
   * @throws as `decide`
   */
  witness(event: LoggedEvent, place: Place): { overlay: Overlay; following: readonly Continuation[] } {
    const { below, timestamp, firstIndex } = place;
    const overlay = new Overlay(below);
    this.apply(event, timestamp, overlay);
    const world = worldOver(overlay, below, timestamp, this.#newId);
    const followed = follow(event, eventRef(timestamp, firstIndex));
    const following = (this.#reactions.get(event.type) ?? []).flatMap((reaction) =>
      followers(reaction, event, world).map((next) => continuation(next, reaction, event, followed)),
    );
    return { overlay, following };
  }

  /**
   * Decides the commands that follow an event, breadth first. Ignores those that are refused.
   * @throws as `decide`
   */
  carryOn(following: readonly Continuation[], place: Place): Decided {
    const run = runAt(place, this.#newId);
    for (const { command, chain } of following) this.#decideOne(command, chain, run);
    this.#cascade(0, run);
    const { events, overlay, reactionsLeft, continuations } = run;
    return { results: [], refused: undefined, events, overlay, reacted: true, reactionsLeft, continuations };
  }

  /**
   * Applies an event to a layer, both live and on replay.
   * @throws EvolveError when no aggregate knows the event in its version or its `evolve` throws.
   */
  apply(event: LoggedEvent, timestamp: number, layer: Layer): void {
    const known = this.#byEvent.get(event.type);
    if (known === undefined) {
      throw new EvolveError(
        `no aggregate knows the event ${event.type} at ${timestamp}: was the log written by a newer release?`,
      );
    }
    const { decider, version } = known;
    if (event.version > version) {
      throw new EvolveError(
        `${event.type} at ${timestamp} has version ${event.version}, but this release knows only ${version}: ` +
          "the log was written by a newer release",
      );
    }
    const { kind } = decider;
    let after: unknown;
    try {
      after = decider.evolve(layer.get(kind, event.id) as never, event, timestamp);
    } catch (cause) {
      throw new EvolveError(`${event.type} at ${timestamp} cannot be applied`, { cause });
    }
    layer.set(kind, event.id, after);
  }

  #decideOne(command: Command, chain: Chain, run: Run): Rejection | undefined {
    const decider = this.#byCommand.get(command.type);
    if (decider === undefined) {
      return { rejected: "invalid", message: `no command ${command.type}`, field: "type" };
    }
    const id = decider.target(command);
    const state = id === undefined ? undefined : run.overlay.get(decider.kind, id);
    const decision = decider.decide(command, state as never, run.world);
    if (isRejection(decision)) return decision;
    for (const event of decision) {
      const logged = this.#envelop(event, chain);
      run.events.push(logged);
      this.apply(logged, run.timestamp, run.overlay);
    }
    return undefined;
  }

  /** Runs reactions to events, breadth first. */
  #cascade(from: number, run: Run): void {
    if (this.#reactions.size === 0) return;
    for (let at = from; at < run.events.length; at++) {
      const event = run.events[at] as LoggedEvent;
      const reactions = this.#reactions.get(event.type);
      if (reactions === undefined) continue;
      const followed = follow(event, eventRef(run.timestamp, run.firstIndex + at));
      for (const reaction of reactions) {
        for (const following of followers(reaction, event, run.world)) {
          const next = continuation(following, reaction, event, followed);
          if (run.reactionsLeft > 0) {
            run.reactionsLeft--;
            // A refused command no longer fits the state. No caller awaits it, so the rejection is dropped.
            this.#decideOne(next.command, next.chain, run);
          } else {
            run.continuations.push(next);
          }
        }
      }
    }
  }

  #envelop(event: DomainEvent, chain: Chain): LoggedEvent {
    const version = this.#byEvent.get(event.type)?.version ?? 1;
    const { origin, depth, cause, root } = chain;
    const logged: Record<string, unknown> = { ...event, version, origin, depth };
    if (cause !== undefined) logged["cause"] = cause;
    if (root !== undefined) logged["root"] = root;
    return logged as unknown as LoggedEvent;
  }
}

const nothing: readonly Command[] = [];

function followers(reaction: Reaction, event: LoggedEvent, world: World): readonly (Command | Following)[] {
  if (event.depth < limits.cascadeDepth) return reaction.react(event, world);
  return reaction.cutShort?.(event, world) ?? nothing;
}

function continuation(
  following: Command | Following,
  reaction: Reaction,
  event: LoggedEvent,
  followed: Chain,
): Continuation {
  const command = "type" in following ? following : following.command;
  const origin = "type" in following ? reaction.origin?.(event) : following.origin;
  return { command, chain: { ...followed, origin: origin ?? followed.origin } };
}

function runAt({ below, timestamp, firstIndex, reactionsLeft }: Place, newId: () => string): Run {
  const overlay = new Overlay(below);
  const world = worldOver(overlay, below, timestamp, newId);
  return { overlay, world, timestamp, firstIndex, events: [], continuations: [], reactionsLeft };
}

function refusal(index: number, rejection: Rejection, { below, reactionsLeft }: Place): Decided {
  const overlay = new Overlay(below);
  const refused = { index, rejection };
  return { results: [], refused, events: [], overlay, reacted: false, reactionsLeft, continuations: [] };
}

function worldOver(overlay: Overlay, below: Layer, now: number, newId: () => string): World {
  return {
    now,
    newId,
    get: (kind, id) => overlay.get(kind, id) as never,
    all: (kind) => overlay.all(kind) as never,
    size: (kind) => overlay.size(kind),
    before: { get: (kind, id) => below.get(kind, id) as never },
  };
}

function follow(event: LoggedEvent, ref: Cause): Chain {
  return { origin: event.origin, cause: ref, root: event.root ?? event.cause ?? ref, depth: event.depth + 1 };
}
