import { limits } from "@ledge/model";

/** A request to the cloud failed. */
export class CloudError extends Error {
  override readonly name = "CloudError";
  /** The status of the cloud's answer; undefined when there was none or it made no sense. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

export interface CloudCall {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The bearer token. */
  readonly token?: string;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** Calls a cloud over HTTP. It follows no redirects and limits the size of answers. */
export class CloudClient {
  readonly url: string;
  readonly #timeoutMs: number;

  /** @param url of the cloud, without a path */
  constructor(url: string, timeoutMs: number = limits.cloudTimeoutMs) {
    this.url = url;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Sends a request.
   * @returns the body of an answer with a status from 200 to 299
   * @throws CloudError
   */
  async call({ method, path, token, body, signal }: CloudCall): Promise<string> {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${this.url}${path}`, {
        method,
        headers,
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      status = response.status;
      text = await textOf(response);
    } catch (error) {
      if (error instanceof CloudError) throw error;
      throw new CloudError(`the cloud at ${this.url} does not answer: ${reasonOf(error)}`);
    }
    if (status >= 200 && status < 300) return text;
    throw new CloudError(messageIn(text) ?? `the cloud at ${this.url} answers ${status}`, status);
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += (chunk as Uint8Array).length;
    if (length > limits.authorizationListChars) throw new CloudError("the cloud's answer is too long");
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the cause of an error, because the message of `fetch` alone says little. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && cause.message !== "" ? cause.message : message;
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = (JSON.parse(text) ?? {}) as { message?: unknown };
    return typeof message === "string" ? message.slice(0, limits.nameChars) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses an answer as JSON of a shape.
 * @throws CloudError
 */
export function readAnswer<T>(shape: { Check(value: unknown): value is T }, text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (shape.Check(value)) return value;
  throw new CloudError("the cloud answers nonsense");
}
