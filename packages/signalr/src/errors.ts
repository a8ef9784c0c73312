/** An error whose message the client may read. The message of any other error stays on the server. */
export class HubError extends Error {
  override readonly name: string = "HubError";
}

/** Thrown by `authenticate`: the request is answered with this status instead of 401. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** @param status of the HTTP answer, such as 403 or 429; the message is its body. */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
