import { refusedBy } from "@ledge/api";
import type { Past } from "@ledge/kernel";
import type { Commit, LoggedEvent, States } from "@ledge/model";
import { allows, eventIn, eventRef, indexIn, isRejection, lastingTypes, parseEventRef } from "@ledge/model";
import type { Placed, Recorded } from "@ledge/rules";
import { catalogue, why as whyOf } from "@ledge/rules";
import { HistoryPruned, type Reader } from "../reader.ts";
import { deciders, mayRead } from "./rights.ts";
import type { Task } from "./task.ts";

/** Explains the value of an attribute, or why rules did nothing about it. */
export const why: Task<"why"> = (reader, { at, ...question }, { viewer, language }) => {
  const recorded = recordedBy(reader, Math.min(at ?? reader.now, reader.now));
  const answer = whyOf(question, recorded, catalogue, {
    language,
    mayRead: (kind, state) => mayRead(kind, state, viewer),
    mayName: (user) => allows("USER_ADMIN", viewer.role) || user === viewer.user,
  });
  return isRejection(answer) ? refusedBy(answer) : answer;
};

/** Returns the log up to a moment, as the source of the explanation. */
function recordedBy(reader: Reader, at: number): Recorded {
  const past = reader.stateAt(at);
  const { log } = reader;
  const read = new Map<number, Commit | undefined>();
  return {
    now: past.projection.timestamp,
    home: past.projection.read,
    lastEvent: (kind, id, attribute) => past.lastEvents.get(kind, id, attribute),
    commit(timestamp) {
      if (timestamp > at) return undefined;
      if (!read.has(timestamp)) read.set(timestamp, log.read(timestamp - 1, timestamp).next().value);
      return read.get(timestamp);
    },
    *commits(after, until) {
      for (const commit of log.read(after, Math.min(until, at))) {
        reader.spend();
        yield commit;
      }
    },
    before: (timestamp) => stateBefore(reader, timestamp)?.projection.read,
    configuring: (kind, id) => configuring(reader, at, kind, id),
  };
}

function stateBefore(reader: Reader, timestamp: number): Past | undefined {
  try {
    return reader.stateAt(timestamp - 1);
  } catch (error) {
    if (error instanceof HistoryPruned) return undefined;
    throw error;
  }
}

/** Reads the events from the index as far as it goes, and the rest from the log. */
function* configuring(reader: Reader, until: number, kind: keyof States, id: string): Generator<Placed> {
  const { history, log } = reader;
  const indexed = history === undefined ? [] : [...history.objectEvents(kind, id)].toReversed();
  for (const ref of indexed) {
    const place = parseEventRef(ref);
    if (place === undefined || place.timestamp > until) continue;
    reader.spend();
    const { timestamp, index } = place;
    const commit = log.read(timestamp - 1, timestamp).next().value as Commit | undefined;
    const event = commit && eventIn(commit, index);
    if (event !== undefined) yield { ref, at: timestamp, event };
  }
  const decider = deciders.get(kind);
  const types = new Set(decider && lastingTypes(decider));
  for (const commit of log.read(history?.mark.timestamp ?? 0, until)) {
    reader.spend();
    for (const [place, event] of commit.events.entries()) {
      if (event.id === id && types.has(event.type)) yield placed(commit, place, event);
    }
  }
}

function placed(commit: Commit, place: number, event: LoggedEvent): Placed {
  const { timestamp } = commit;
  return { ref: eventRef(timestamp, indexIn(commit, place)), at: timestamp, event };
}
