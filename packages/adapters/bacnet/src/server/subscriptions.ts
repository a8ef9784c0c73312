import type { AdapterClock } from "@ledge/port";
import type { LibraryValue } from "node-bacnet";
import { isIPv4 } from "node:net";
import type { Address } from "../network/address.ts";
import { endpointOf, hostOf, remoteOf } from "../network/address.ts";
import { Fault } from "../network/fault.ts";
import type { Network } from "../network/network.ts";
import { objectIdOf } from "../map/object-type.ts";
import type { ServerObject } from "./object.ts";
import { asValue, kindOf, presentNumber, statusFlags } from "./object.ts";

interface Subscription {
  readonly to: Address;
  readonly process: number;
  readonly object: ServerObject;
  readonly confirmed: boolean;
  /** ms since the epoch. */
  readonly until: number;
  sent: { readonly number: number; readonly flags: string } | undefined;
  failures: number;
  /** A notification waits for its acknowledgement. */
  waiting: boolean;
}

/** The most subscriptions, of all and of one host: another must find room beside it. */
const most = 512;
const mostOfHost = 256;
/** The longest lifetime, also of those that ask for ever: whoever is gone is forgotten by then. */
const longestS = 24 * 3600;
const failuresAtMost = 3;

/** Who is notified of changes of which objects (SubscribeCOV, ASHRAE 135, 13.14). */
export class Subscriptions {
  readonly #network: Network;
  readonly #clock: AdapterClock;
  #all: Subscription[] = [];
  #abort = new AbortController();

  constructor(network: Network, clock: AdapterClock) {
    this.#network = network;
    this.#clock = clock;
  }

  /** Subscribes, in place of an earlier subscription. @returns false when too many are. */
  add(
    deviceId: number,
    subscriber: { readonly to: Address; readonly process: number },
    object: ServerObject,
    { confirmed, lifetime }: { readonly confirmed: boolean; readonly lifetime: number },
  ): boolean {
    this.remove(subscriber, object);
    this.#expire();
    const host = hostOf(subscriber.to);
    const ofHost = this.#all.filter(({ to }) => hostOf(to) === host).length;
    if (this.#all.length >= most || ofHost >= mostOfHost) return false;
    const lasts = lifetime === 0 ? longestS : Math.min(lifetime, longestS);
    const until = this.#clock.now() + lasts * 1000;
    const one = { ...subscriber, object, confirmed, until, sent: undefined, failures: 0, waiting: false };
    this.#all.push(one);
    // The acknowledgement of the subscription leaves first.
    this.#clock.after(0, () => this.#notify(deviceId, one));
    return true;
  }

  remove({ to, process }: { readonly to: Address; readonly process: number }, object: ServerObject): void {
    this.#all = this.#all.filter(
      (each) => each.to !== to || each.process !== process || each.object !== object,
    );
  }

  /** Notifies of a change if it is large enough. */
  changed(deviceId: number, object: ServerObject): void {
    this.#expire();
    for (const each of this.#all) if (each.object === object) this.#notify(deviceId, each);
  }

  /** An object is gone. */
  gone(object: ServerObject): void {
    this.#all = this.#all.filter((each) => each.object !== object);
  }

  clear(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#all = [];
  }

  /** Returns the Active_COV_Subscriptions. */
  active(): readonly LibraryValue[] {
    this.#expire();
    return this.#all.map(({ to, process, object, confirmed, until }) => ({
      type: covSubscription,
      value: {
        recipient: recipientOf(to),
        subscriptionProcessId: process,
        monitoredObjectId: objectIdOf(object),
        monitoredProperty: { id: 85, index: 0xffff_ffff },
        issueConfirmedNotifications: confirmed,
        timeRemaining: this.#remaining(until),
        covIncrement: kindOf(object) === "analog" ? object.covIncrement : 0,
      },
    }));
  }

  #remaining(until: number): number {
    return Math.max(1, Math.round((until - this.#clock.now()) / 1000));
  }

  #expire(): void {
    const now = this.#clock.now();
    this.#all = this.#all.filter(({ until }) => until > now);
  }

  #notify(deviceId: number, one: Subscription): void {
    const { object, sent, confirmed } = one;
    if (one.waiting || !this.#all.includes(one)) return;
    const number = presentNumber(object);
    const flags = JSON.stringify(statusFlags(object).value);
    const increment = kindOf(object) === "analog" ? object.covIncrement : 0;
    const change = sent === undefined ? Infinity : Math.abs(number - sent.number);
    if (flags === sent?.flags && (change === 0 || change < increment)) return;
    one.sent = { number, flags };
    one.waiting = confirmed;
    void this.#send(deviceId, one);
  }

  async #send(deviceId: number, one: Subscription): Promise<void> {
    const { to, process, object, confirmed, until } = one;
    const notification = {
      process,
      deviceId,
      object: objectIdOf(object),
      lifetime: this.#remaining(until),
      confirmed,
      present: asValue(object, presentNumber(object)),
      flags: statusFlags(object),
    };
    try {
      await this.#network.notify(to, notification, this.#abort.signal);
      one.failures = 0;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      one.failures += 1;
      // Whoever does not know the subscription, or is gone, is not told again.
      if (error.isAnswer || one.failures >= failuresAtMost)
        this.#all = this.#all.filter((each) => each !== one);
      else one.sent = undefined;
    }
    one.waiting = false;
    // What has changed meanwhile.
    if (confirmed && one.failures === 0) this.#notify(deviceId, one);
  }
}

/** The library's tag of a subscription. */
const covSubscription = 111;

function recipientOf(to: Address): { network: number; address: number[] } {
  const remote = remoteOf(to);
  if (remote !== undefined) return { network: remote.net, address: [...remote.mac] };
  const [host = "", port = "0"] = endpointOf(to).split(":");
  const octets = isIPv4(host) ? host.split(".").map(Number) : [];
  return { network: 0, address: [...octets, Number(port) >> 8, Number(port) & 0xff] };
}
