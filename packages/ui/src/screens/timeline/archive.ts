import { type ReadonlySignal, signal } from "@preact/signals";
import type { Answer, Failure } from "../../api/call.ts";
import type { Timeline, TimelineCount } from "../../api/past.ts";
import {
  type Change,
  createPlayer,
  type Devices,
  nearestFirst,
  type Player,
  type Span,
  spanAt,
  spansOf,
} from "./film.ts";

/** What the past is read from. It is asked one thing at a time. */
export interface PastSource {
  /** How much happened, in slices of a span. */
  counts(span: Span, signal: AbortSignal): Promise<Answer<Timeline>>;
  /** A page of what devices reported, the newest first. */
  changes(span: Span, before: string | undefined, signal: AbortSignal): Promise<Answer<Timeline>>;
  devices(at: number, signal: AbortSignal): Promise<Answer<Devices>>;
  /** Reads the whole home of a time, with what is not in reels: names, rooms, rules. */
  whole(at: number, signal: AbortSignal): Promise<Failure | undefined>;
}

/** A window of the past that is read from the hub, what is nearest to the slider first. */
export interface Archive {
  readonly counts: ReadonlySignal<readonly TimelineCount[]>;
  /** From when on the hub knows the past (ms). */
  readonly oldest: ReadonlySignal<number>;
  /** Why the hub does not tell; undefined while it does. Nothing is read then until `rest`. */
  readonly failure: ReadonlySignal<Failure | undefined>;
  /** Grows with every reel that was read. */
  readonly reels: ReadonlySignal<number>;
  /** Returns the player of a time (ms); undefined while it is not read. */
  playerAt(at: number): Player | undefined;
  /** Reads around a time first. */
  look(at: number): void;
  /** Reads the whole home of a time next, and asks again for what the hub did not tell. */
  rest(at: number): void;
  /** Reads the window until the signal aborts. */
  read(signal: AbortSignal): Promise<void>;
}

/** As many events as the hub puts on a page. */
const pageEvents = 1000;

/** Returns what devices reported in a span, the oldest first, or why the hub does not tell. */
async function changesOf(
  source: PastSource,
  span: Span,
  stopped: AbortSignal,
): Promise<readonly Change[] | Failure> {
  const found: Change[] = [];
  for (let before: string | null | undefined; before !== null;) {
    const answer: Answer<Timeline> = await source.changes(span, before, stopped);
    if (!answer.ok) return answer;
    for (const { at, object, change } of answer.value.entries)
      if (change !== null && object !== null) found.push({ at, id: object.id, attributes: change });
    before = answer.value.next;
  }
  return found.toReversed();
}

/** Returns what of spans is not before a time. */
function since(spans: readonly Span[], first: number): readonly Span[] {
  return spans
    .filter(({ until }) => until > first)
    .map((span) => (span.from < first ? { ...span, from: first } : span));
}

/** Returns a bell: `rung` resolves when somebody rings, or when the signal aborts. */
function createBell(): { ring: () => void; rung: (stopped: AbortSignal) => Promise<void> } {
  let wake: (() => void) | undefined;
  return {
    ring: () => wake?.(),
    rung: (stopped) =>
      new Promise<void>((resolve) => {
        wake = resolve;
        stopped.addEventListener("abort", () => resolve(), { once: true });
      }),
  };
}

export function createArchive(window: Span, source: PastSource): Archive {
  const counts = signal<readonly TimelineCount[]>([]);
  const oldest = signal(0);
  const failure = signal<Failure | undefined>(undefined);
  const reels = signal(0);
  const players = new Map<Span, Player>();
  /** Undefined until the counts are read. */
  let spans: readonly Span[] | undefined;
  let at = window.until;
  let wanted: number | undefined;
  const bell = createBell();

  /** Takes note of why there was no answer; a pruned past ends the window on the left. */
  const refuse = (refused: Failure): void => {
    const { oldest: first } = refused;
    if (first === undefined) failure.value = refused;
    else {
      oldest.value = first;
      spans = since(spans ?? [], first);
    }
  };

  const readSpan = async (span: Span, stopped: AbortSignal): Promise<void> => {
    const devices = await source.devices(span.from, stopped);
    if (!devices.ok) return refuse(devices);
    const changes = await changesOf(source, { from: span.from + 1, until: span.until }, stopped);
    if ("status" in changes) return refuse(changes);
    players.set(span, createPlayer({ ...span, devices: devices.value, changes }));
    reels.value++;
  };

  const readCounts = async (stopped: AbortSignal): Promise<void> => {
    const answer = await source.counts(window, stopped);
    if (!answer.ok) return refuse(answer);
    counts.value = answer.value.counts ?? [];
    spans = spansOf(counts.value, window.until, pageEvents);
  };

  const readNext = async (stopped: AbortSignal): Promise<void> => {
    if (failure.peek() !== undefined) return bell.rung(stopped);
    if (spans === undefined) return readCounts(stopped);
    if (wanted !== undefined) {
      const whole = Math.max(wanted, oldest.peek());
      wanted = undefined;
      const refused = await source.whole(whole, stopped);
      return refused && refuse(refused);
    }
    const unread = spans.filter((one) => !players.has(one));
    const [span] = nearestFirst(unread, at);
    return span === undefined ? bell.rung(stopped) : readSpan(span, stopped);
  };

  return {
    counts,
    oldest,
    failure,
    reels,
    playerAt(time) {
      const span = spanAt(spans ?? [], time);
      return span && players.get(span);
    },
    look(time) {
      at = time;
    },
    rest(time) {
      at = time;
      wanted = time;
      failure.value = undefined;
      bell.ring();
    },
    async read(stopped) {
      while (!stopped.aborted) await readNext(stopped);
    },
  };
}
