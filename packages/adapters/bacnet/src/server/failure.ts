import { errorCode } from "../network/fault.ts";
import type { ServerError } from "../network/responder.ts";

/** Errors by class and code (ASHRAE 135, 18). */
export const failure = {
  unknownObject: { errorClass: 1, errorCode: errorCode.unknownObject },
  unknownProperty: { errorClass: 2, errorCode: errorCode.unknownProperty },
  notAnArray: { errorClass: 2, errorCode: errorCode.propertyIsNotAnArray },
  invalidArrayIndex: { errorClass: 2, errorCode: errorCode.invalidArrayIndex },
  writeAccessDenied: { errorClass: 2, errorCode: errorCode.writeAccessDenied },
  invalidDataType: { errorClass: 2, errorCode: errorCode.invalidDataType },
  valueOutOfRange: { errorClass: 2, errorCode: errorCode.valueOutOfRange },
  subscriptionFailed: { errorClass: 5, errorCode: errorCode.covSubscriptionFailed },
  optionalFunctionalityNotSupported: {
    errorClass: 5,
    errorCode: errorCode.optionalFunctionalityNotSupported,
  },
  deviceBusy: { errorClass: 0, errorCode: 3 },
} as const satisfies Record<string, ServerError>;
