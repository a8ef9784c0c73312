/** The most octets of an APDU that the hub takes and sends (ASHRAE 135, J.2). */
export const apduOctets = 1476;

/** Kinds of APDUs (ASHRAE 135, 20.1), by the upper four bits of their first octet. */
export const pdu = {
  confirmed: 0x00,
  unconfirmed: 0x10,
  simpleAck: 0x20,
  complexAck: 0x30,
  segmentAck: 0x40,
  error: 0x50,
  reject: 0x60,
  abort: 0x70,
} as const;

/** Confirmed services by number (21). */
export const confirmed = {
  covNotification: 1,
  subscribeCov: 5,
  readProperty: 12,
  readPropertyMultiple: 14,
  writeProperty: 15,
} as const;

/** Unconfirmed services by number (21). */
export const unconfirmed = {
  iAm: 0,
  covNotification: 2,
  timeSynchronization: 6,
  whoHas: 7,
  whoIs: 8,
  utcTimeSynchronization: 9,
} as const;

/** Reasons to reject (18.9) and to abort (18.10). */
export const rejectReason = { invalidTag: 4, unrecognizedService: 9 } as const;
export const abortReason = { bufferOverflow: 1, segmentationNotSupported: 4 } as const;

const segmentedBit = 0x08;
const fromServer = 0x01;

/** The head of an APDU. `service` is the reason of a reject or abort. */
export interface Apdu {
  readonly kind: number;
  readonly segmented: boolean;
  /** 0 for an unconfirmed request. */
  readonly invokeId: number;
  readonly service: number;
  /** The parameters of the service. */
  readonly content: Buffer;
}

/** Reads the head of an APDU; undefined when it is too short. Never throws. */
export function readApdu(apdu: Buffer): Apdu | undefined {
  const [first = 0] = apdu;
  const kind = first & 0xf0;
  const segmented = (kind === pdu.confirmed || kind === pdu.complexAck) && (first & segmentedBit) !== 0;
  const invokeAt = kind === pdu.confirmed ? 2 : 1;
  const serviceAt = kind === pdu.unconfirmed ? 1 : invokeAt + 1 + (segmented ? 2 : 0);
  const service = apdu[serviceAt];
  if (service === undefined || kind > pdu.abort) return undefined;
  const invokeId = kind === pdu.unconfirmed ? 0 : (apdu[invokeAt] as number);
  return { kind, segmented, invokeId, service, content: apdu.subarray(serviceAt + 1) };
}

/** Returns whether an APDU answers a request of ours. */
export function isAnswer({ kind }: Apdu): boolean {
  return kind !== pdu.confirmed && kind !== pdu.unconfirmed && kind !== pdu.segmentAck;
}

export function rejectApdu(invokeId: number, reason: number): readonly number[] {
  return [pdu.reject, invokeId, reason];
}

/** @param server whether we answer a request, and not end our own. */
export function abortApdu(invokeId: number, reason: number, server: boolean): readonly number[] {
  return [pdu.abort | (server ? fromServer : 0), invokeId, reason];
}

/**
 * Marks a confirmed request as one whose answer must come in one piece. The library asks for segments, but
 * cannot put those of several devices together.
 */
export function forbidSegments(apdu: Buffer): void {
  const [first] = apdu;
  if (first === undefined || apdu.length < 2 || (first & 0xf0) !== pdu.confirmed) return;
  // Segmented response accepted; and the maximal number of segments.
  apdu[0] = first & ~0x02;
  apdu[1] = (apdu[1] as number) & 0x0f;
}
