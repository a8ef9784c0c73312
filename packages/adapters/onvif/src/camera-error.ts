import { AdapterError } from "@ledge/port";
import { ExchangeError, ForeignAddress, SoapFault, XmlError } from "@ledge/soap";

/**
 * Why a camera is of no use: `unsupported`, it answers and is no ONVIF camera with video; `credentials`, it wants a
 * user, or another; `wrong`, it is another camera than the one that was expected; `certificate`, it shows another certificate than
 * the one that was pinned.
 */
export type CameraFailure =
  | "unsupported"
  | "credentials"
  | "timeout"
  | "refused"
  | "wrong"
  | "certificate"
  | "cancelled"
  | "failed";

export class CameraError extends Error {
  override readonly name = "CameraError";
  readonly failure: CameraFailure;
  constructor(failure: CameraFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** Codes of CAMERA_HOST_AT_IP_STATUS (hub-api 2.10). */
const codes: Readonly<Record<CameraFailure, number>> = {
  unsupported: 10,
  credentials: 11,
  timeout: 12,
  refused: 13,
  wrong: 14,
  certificate: 14,
  cancelled: 12,
  failed: 99,
};

export function statusCodeOf({ failure }: CameraError): number {
  return codes[failure];
}

const exchangeFailures: Readonly<Record<ExchangeError["failure"], CameraFailure>> = {
  refused: "refused",
  timeout: "timeout",
  lost: "failed",
  large: "unsupported",
  cancelled: "cancelled",
  certificate: "certificate",
};

/** Returns why an exchange with a camera has failed. */
export function cameraErrorOf(error: unknown): CameraError {
  if (error instanceof CameraError) return error;
  const { message } = error as Error;
  if (error instanceof ExchangeError)
    return new CameraError(exchangeFailures[error.failure], message, { cause: error });
  if (error instanceof XmlError)
    return new CameraError("unsupported", `no ONVIF: ${message}`, { cause: error });
  if (error instanceof SoapFault)
    return isOfLogin(error)
      ? new CameraError("credentials", "refuses the login", { cause: error })
      : new CameraError("unsupported", message, { cause: error });
  if (error instanceof ForeignAddress) return new CameraError("failed", message, { cause: error });
  return new CameraError("failed", String(error), { cause: error });
}

function isOfLogin({ codes: said, message }: SoapFault): boolean {
  const isCode = said.some((code) => /^(?:NotAuthorized|FailedAuthentication|InvalidSecurity)/i.test(code));
  return isCode || /not.?authori[sz]ed|unauthori[sz]ed|authority failure/i.test(message);
}

/** Returns the error of a command to a camera. */
export function adapterErrorOfCamera(error: unknown): AdapterError {
  if (error instanceof AdapterError) return error;
  const { failure, message, cause } = cameraErrorOf(error);
  const options = { cause };
  switch (failure) {
    case "timeout":
      return new AdapterError("timeout", message, options);
    case "cancelled":
      return new AdapterError("cancelled", message, options);
    case "refused":
    case "failed":
      return new AdapterError("unreachable", message, options);
    case "unsupported":
    case "credentials":
    case "wrong":
    case "certificate":
      return new AdapterError("refused", message, options);
  }
}
