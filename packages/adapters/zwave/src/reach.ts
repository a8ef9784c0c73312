import type { ZWaveNode } from "zwave-js";
import { commandClass } from "./map/command-class.ts";
import type { Member } from "./member.ts";

/** The library's NodeStatus. */
export const libraryStatus = { unknown: 0, asleep: 1, awake: 2, dead: 3, alive: 4 } as const;

/**
 * Knows which nodes can be reached. A node that sleeps is reachable: it takes what it is told when it wakes up. A node
 * that does not answer is dead until it says something.
 */
export class Reach {
  readonly #report: (member: Member, reachable: boolean) => void;
  readonly #said = new WeakMap<Member, boolean>();

  constructor(report: (member: Member, reachable: boolean) => void) {
    this.#report = report;
  }

  /** Returns whether a node can be reached; undefined while nobody knows. */
  isReachable(node: ZWaveNode): boolean | undefined {
    const now: number = node.status;
    return now === libraryStatus.unknown ? undefined : now !== libraryStatus.dead;
  }

  /**
   * Returns whether a node takes nothing until it wakes up.
   * @param node undefined while the network is not up
   */
  isAsleep(node: ZWaveNode | undefined, { units }: Member): boolean {
    const now: number | undefined = node?.status;
    if (now === libraryStatus.awake || now === libraryStatus.alive) return false;
    // The library does not know it before it has asked the stick.
    return (
      node?.canSleep ??
      [...units.values()].some(({ unit }) => unit.commandClasses.includes(commandClass.wakeUp))
    );
  }

  isDead(node: ZWaveNode): boolean {
    const now: number = node.status;
    return now === libraryStatus.dead;
  }

  /** Reports a change. */
  say(member: Member, reachable: boolean): void {
    if (this.#said.get(member) === reachable) return;
    this.#said.set(member, reachable);
    this.#report(member, reachable);
  }
}
