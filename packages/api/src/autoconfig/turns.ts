import { limits } from "@ledge/model";
import { Refused } from "../refused.ts";

/** Work that is done one after the other, per hub. */
const turns = new WeakMap<object, { waiting: number; last: Promise<unknown> }>();

/** Does a piece of work when all that came before is done; 503 when too much is waiting. */
export async function inTurn<Result>(hub: object, work: () => Promise<Result>): Promise<Result | Refused> {
  const turn = turns.get(hub) ?? { waiting: 0, last: Promise.resolve() };
  turns.set(hub, turn);
  if (turn.waiting >= limits.autoConfigQueue)
    return new Refused(503, "too many autoconfigurations are waiting", [], 5);
  turn.waiting += 1;
  const done = turn.last.then(work).finally(() => (turn.waiting -= 1));
  turn.last = done.catch(() => {});
  return done;
}
