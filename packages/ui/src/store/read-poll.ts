import type { PollAnswer, Section } from "./wire.ts";

/** Characters that are parsed at once: some 4 ms on an old phone. */
const partLength = 128 * 1024;

/** Lets others have their turn when it is time to; undefined while it is not. */
export type Breathe = () => Promise<void> | undefined;

/**
 * Reads the text of a POLL_DELTA (hub-api 2.2), a long one in parts between which the page has its turn. A hub writes
 * a tab before each object and nowhere else; the text of one that does not is parsed at once. A long category comes as several sections.
 * @param length of a part, in characters
 * @throws SyntaxError unless it is JSON
 */
export async function readPoll(text: string, breathe: Breathe, length = partLength): Promise<PollAnswer> {
  if (text.length <= length || !text.includes("\t")) return JSON.parse(text) as PollAnswer;
  const parts: Section[] = [];
  // What is left without the parts is an answer with the last object of each category.
  let rest = "";
  let at = 0;
  for (;;) {
    const opened = text.indexOf("{\t", at) + 1;
    if (opened === 0) break;
    rest += text.slice(at, opened);
    const category = /"(\w+)":\{$/.exec(text.slice(Math.max(at, opened - 40), opened))?.[1];
    if (category === undefined) return JSON.parse(text) as PollAnswer;
    const last = startOfLast(text, opened);
    for (let from = opened; from < last;) {
      const to = from + length >= last ? last : endOfPart(text, from, length);
      // The part ends with a comma.
      parts.push({ [category]: JSON.parse(`{${text.slice(from, to - 1)}}`) as object });
      from = to;
      await breathe();
    }
    at = last;
  }
  const answer = JSON.parse(rest + text.slice(at)) as PollAnswer;
  return { ...answer, polls: [...parts, ...answer.polls] };
}

/** Returns where the last object of a category begins, up to which it is parsed in parts. */
function startOfLast(text: string, from: number): number {
  const next = text.indexOf("{\t", from);
  return text.lastIndexOf("\t", next === -1 ? text.length : next);
}

/** Returns where the first object begins that is too much, or else the one after the first. */
function endOfPart(text: string, from: number, length: number): number {
  const end = text.lastIndexOf("\t", from + length);
  return end > from ? end : text.indexOf("\t", from + 1);
}
