import type { AnyDecider, Commit, EventRef, LoggedEvent, Reader, States, Telemetry } from "@ledge/model";
import { aggregates, eventRef, evolved, indexIn, languages } from "@ledge/model";
import type { Why, Language } from "@ledge/model";
import type { TestHouse } from "../testdata/house.ts";
import { catalogue } from "../templates/index.ts";
import type { Placed, Recorded } from "./recorded.ts";
import { why, type WhyQuestion } from "./why.ts";

/** How many commits lie between two checkpoints. */
const checkpointCommits = 200;

const deciders = new Map(
  aggregates.flatMap((decider) =>
    decider.events.map(({ type, telemetry }) => [type, { decider, telemetry }] as const),
  ),
);

type ByKind = Map<string, Map<string, unknown>>;

/** States, and the events that wrote them, built commit by commit. */
class Folded {
  readonly states: ByKind;
  readonly last: Map<string, Map<string, EventRef>>;
  readonly next: number;

  constructor(next = 0, states: ByKind = new Map(), last: Folded["last"] = new Map()) {
    this.next = next;
    this.states = states;
    this.last = last;
  }

  /**
   * Applies further commits.
   * @returns a new object; this one stays unchanged
   */
  after(commits: readonly Commit[]): Folded {
    const states: ByKind = new Map([...this.states].map(([kind, of]) => [kind, new Map(of)]));
    const last = new Map([...this.last].map(([object, of]) => [object, new Map(of)]));
    for (const commit of commits) {
      for (const [place, event] of commit.events.entries()) {
        const known = deciders.get(event.type);
        if (known === undefined) throw new Error(event.type);
        const ref = eventRef(commit.timestamp, indexIn(commit, place));
        apply(known.decider, known.telemetry, event, ref, commit.timestamp, states, last);
      }
    }
    return new Folded(this.next + commits.length, states, last);
  }
}

function apply(
  decider: AnyDecider,
  telemetry: Telemetry | undefined,
  event: LoggedEvent,
  ref: EventRef,
  at: number,
  states: ByKind,
  last: Folded["last"],
): void {
  const { kind } = decider;
  const of = states.get(kind) ?? new Map<string, unknown>();
  states.set(kind, of);
  const before = of.get(event.id);
  const after = evolved(decider, before, event, at);
  const object = `${kind}/${event.id}`;
  if (after === undefined) {
    of.delete(event.id);
    last.delete(object);
    return;
  }
  of.set(event.id, after);
  const refs = last.get(object) ?? new Map<string, EventRef>();
  last.set(object, refs);
  refs.set("", ref);
  for (const attribute of telemetry?.(event, before) ?? []) refs.set(attribute, ref);
}

/** A log in memory that answers like the hub's own. */
export class TestRecord {
  readonly #commits: readonly Commit[];
  readonly #folded: Folded[] = [new Folded()];

  constructor(house: Pick<TestHouse, "kernel">) {
    this.#commits = [...house.kernel.log.read()];
    for (let at = 0; at < this.#commits.length; at += checkpointCommits) {
      const before = this.#folded.at(-1) as Folded;
      this.#folded.push(before.after(this.#commits.slice(at, at + checkpointCommits)));
    }
  }

  get commits(): readonly Commit[] {
    return this.#commits;
  }

  /** @param horizon the time up to which events are compacted; the home before it is unknown */
  at(now: number, horizon = 0): Recorded {
    const commits = this.#commits;
    const { states, last } = this.#until(now);
    const kept = commits.filter(({ timestamp }) => timestamp <= now);
    const byTime = new Map(kept.map((commit) => [commit.timestamp, commit]));
    return {
      now,
      home: readerOf(states),
      lastEvent: (kind, id, attribute) => last.get(`${kind}/${id}`)?.get(attribute),
      commit: (timestamp) => byTime.get(timestamp),
      commits: (after, until) => kept.filter(({ timestamp }) => timestamp > after && timestamp <= until),
      before: (timestamp) => (timestamp <= horizon ? undefined : readerOf(this.#until(timestamp - 1).states)),
      configuring: (kind, id) => configuring(kept, kind, id),
    };
  }

  #until(now: number): Folded {
    let found = this.#folded[0] as Folded;
    for (const one of this.#folded) {
      const last = this.#commits[one.next - 1];
      if (last === undefined || last.timestamp <= now) found = one;
    }
    const rest = this.#commits.slice(found.next, found.next + checkpointCommits);
    return found.after(rest.filter(({ timestamp }) => timestamp <= now));
  }
}

function* configuring(commits: readonly Commit[], kind: keyof States, id: string): Generator<Placed> {
  for (const commit of commits) {
    for (const [place, event] of commit.events.entries()) {
      const known = deciders.get(event.type);
      if (event.id !== id || known?.decider.kind !== kind || known.telemetry !== undefined) continue;
      yield { ref: eventRef(commit.timestamp, indexIn(commit, place)), at: commit.timestamp, event };
    }
  }
}

function readerOf(states: ByKind): Reader {
  return {
    get: (kind, id) => states.get(kind)?.get(id) as never,
    all: (kind) => (states.get(kind) ?? new Map()).entries() as never,
    size: (kind) => states.get(kind)?.size ?? 0,
  };
}

/** Returns the answer that an administrator gets. */
export function asked(record: Recorded, question: WhyQuestion, language: Language = languages[0]): Why {
  const answer = why(question, record, catalogue, { language, mayRead: () => true, mayName: () => true });
  if ("rejected" in answer) throw new Error(answer.message);
  return answer;
}
