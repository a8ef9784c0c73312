import type { Address } from "./address.ts";
import type { Apdu } from "./apdu.ts";
import {
  abortApdu,
  abortReason,
  confirmed,
  isAnswer,
  pdu,
  readApdu,
  rejectApdu,
  rejectReason,
  unconfirmed,
} from "./apdu.ts";
import { Fault } from "./fault.ts";
import type { Frame } from "./frame.ts";
import { isKnown, isWellFormed } from "./grammar.ts";
import type { Invocations } from "./invocations.ts";
import type { Responder } from "./responder.ts";
import { isTimeSynchronization, timeIn } from "./time.ts";

/** What the gate in front of the library needs of its network. */
export interface IncomingLink {
  readonly invocations: Invocations;
  readonly responder: Responder;
  answer(apdu: readonly number[], to: Address): void;
  /** Gives a frame to the library, which may throw. */
  pass(local: Buffer, from: Address): void;
  /** The library has failed on a frame that passed all checks. */
  failed(reason: string): void;
}

const servedRequests: ReadonlySet<number> = new Set([
  confirmed.subscribeCov,
  confirmed.readProperty,
  confirmed.readPropertyMultiple,
  confirmed.writeProperty,
]);

/** Checks what comes before the library sees it: the sender of an answer, the form of a frame, that it is whole. */
export class Incoming {
  readonly #link: IncomingLink;

  constructor(link: IncomingLink) {
    this.#link = link;
  }

  receive(frame: Frame, local: Buffer, from: Address): void {
    const apdu = readApdu(frame.apdu);
    if (apdu === undefined) return;
    const { kind, invokeId, service, segmented, content } = apdu;
    if (isAnswer(apdu)) return this.#answered(apdu, local, from);
    if (kind === pdu.segmentAck) return;
    const isRequest = kind === pdu.confirmed;
    if (isRequest && segmented)
      return this.#link.answer(abortApdu(invokeId, abortReason.segmentationNotSupported, true), from);
    const isServed = this.#link.responder.handler !== undefined;
    const known =
      isKnown(kind, service) &&
      (!isRequest || service === confirmed.covNotification || (isServed && servedRequests.has(service)));
    if (isRequest && !known)
      return this.#link.answer(rejectApdu(invokeId, rejectReason.unrecognizedService), from);
    if (!known) return;
    const isForServer = isRequest && service !== confirmed.covNotification;
    this.#link.responder.passedOn = false;
    if (isWellFormed(kind, service, content)) {
      const at = isTimeSynchronization(kind, service) ? timeIn(content) : undefined;
      if (at !== undefined) {
        const isUtc = service === unconfirmed.utcTimeSynchronization;
        return this.#link.responder.handler?.timeSynchronized(at, isUtc, from);
      }
      this.#emit(local, from);
      // What the library refuses to decode it drops.
      if (!isForServer || this.#link.responder.passedOn) return;
    }
    if (isRequest) this.#link.answer(rejectApdu(invokeId, rejectReason.invalidTag), from);
  }

  #answered(apdu: Apdu, local: Buffer, from: Address): void {
    const { kind, invokeId, service, segmented, content } = apdu;
    const pending = this.#link.invocations.find(invokeId, from);
    // Late answers, and answers of others: numbers of requests repeat.
    if (pending === undefined) return;
    if (segmented) {
      this.#link.answer(abortApdu(invokeId, abortReason.segmentationNotSupported, false), from);
      return pending.fail(
        new Fault("abort", "the device answers in segments", abortReason.segmentationNotSupported),
      );
    }
    if (!isWellFormed(kind, service, content))
      return pending.fail(new Fault("garbled", "the answer is malformed"));
    if (kind === pdu.reject) pending.refusal = "reject";
    if (kind === pdu.abort) pending.refusal = "abort";
    if (this.#emit(local, from)) return undefined;
    this.#link.invocations.free(invokeId);
    return pending.fail(new Fault("garbled", "the answer cannot be read"));
  }

  /** Returns false when the library fails on a frame. */
  #emit(local: Buffer, from: Address): boolean {
    try {
      this.#link.pass(local, from);
      return true;
    } catch (error) {
      this.#link.failed((error as Error).message);
      return false;
    }
  }
}
