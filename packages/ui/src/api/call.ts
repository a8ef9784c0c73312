import { signal } from "@preact/signals";

/** What is wrong with a field of a request. */
interface FieldError {
  /** Which item of a list, from 0. */
  readonly index?: number;
  readonly field: string;
  /** In the hub's words. */
  readonly message: string;
}

/** What the hub answered in place of a result. */
export interface Failure {
  /** The status of HTTP; 0: no answer came. */
  readonly status: number;
  /** The hub's own words; empty without any. */
  readonly message: string;
  /** When the hub takes the request again (s). */
  readonly retryAfterS: number | undefined;
  /** From when on the hub knows the past (ms), when it was asked for an earlier time. */
  readonly oldest: number | undefined;
  /** Empty unless the hub found fields at fault. */
  readonly errors: readonly FieldError[];
}

export type Answer<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Failure);

/** The key that opens the hub; null before anybody is in. */
export const key = signal<string | null>(null);
/** The prefix of the API's rows, such as `/cc/1.14`; follows the version that the hub tells. */
export const prefix = signal("/cc/1.14");
/** The token of a cloud account, on the cloud's page; there calls reach the hub by the relay. */
export const cloudToken = signal<string | null>(null);
/** The language that the hub's texts are asked in. */
export const language = signal("en");

/** Why the page changes nothing now, in words for a reader; empty when it may. */
export const readOnly = signal("");

export interface Request {
  readonly method?: "GET" | "PUT" | "POST" | "DELETE";
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** In place of a body: JSON as it stands, sent byte for byte. */
  readonly source?: string;
  readonly signal?: AbortSignal;
  /** After which time without an answer the hub counts as away. */
  readonly timeoutMs?: number;
  /** The path is the whole one. */
  readonly unversioned?: true;
  /** The cloud itself answers, not the hub. */
  readonly ofCloud?: true;
  /** The answer is a text, not JSON. */
  readonly isText?: true;
  /** Reads the text of the answer, which is JSON, in a way of its own. */
  readonly read?: (text: string) => Promise<unknown>;
  /** The answer is a file. */
  readonly isFile?: true;
  /** Another key than that of the user. */
  readonly key?: string;
}

const patienceMs = 20_000;

/** Calls a row of the hub's API. A failure is a value, not an exception. */
export async function call<T>(path: string, request: Request = {}): Promise<Answer<T>> {
  const { method = "GET", query = {}, body, source } = request;
  // Questions go by GET and POST.
  if (readOnly.peek() !== "" && (method === "PUT" || method === "DELETE"))
    return unanswered(409, readOnly.peek());
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const asked = search.size === 0 ? "" : `?${search.toString()}`;
  const headers: Record<string, string> = { "accept-language": language.peek(), ...credentialsOf(request) };
  const sent = source ?? (body === undefined ? undefined : JSON.stringify(body));
  if (sent !== undefined) headers["content-type"] = "application/json";
  const bounded = boundedBy(request);
  try {
    const response = await fetch(`${baseOf(request)}${path}${asked}`, {
      method,
      headers,
      signal: bounded.signal,
      cache: "no-store",
      ...(sent !== undefined && { body: sent }),
    });
    if (response.ok) return { ok: true, value: (await valueOf(response, request)) as T };
    return { ok: false, ...(await failureOf(response)) };
  } catch {
    return unanswered(0);
  } finally {
    bounded.release();
  }
}

async function valueOf(response: Response, { isFile, isText, read }: Request): Promise<unknown> {
  if (isFile) return response.blob();
  if (isText) return response.text();
  return read === undefined ? response.json() : read(await response.text());
}

/** Asks for one after the other. @returns all that the hub answered, in order, or the first refusal, after which nothing is asked */
export async function inTurn<Of, T>(
  all: Iterable<Of>,
  ask: (one: Of) => Promise<Answer<T>>,
): Promise<Answer<readonly T[]>> {
  const value: T[] = [];
  for (const one of all) {
    const answer = await ask(one);
    if (!answer.ok) return answer;
    value.push(answer.value);
  }
  return { ok: true, value };
}

/** Returns a failure without an answer of the hub. */
export function unanswered(status: number, message = ""): Answer<never> {
  return { ok: false, status, message, retryAfterS: undefined, oldest: undefined, errors: [] };
}

/** The rows of the cloud for users, and the relay (hub-api 4, 4.10). */
const cloudRows = "/ui/0.2";
const relay = `${cloudRows}/hub/remote`;

function baseOf({ unversioned, ofCloud }: Request): string {
  if (ofCloud) return cloudRows;
  return (cloudToken.peek() === null ? "" : relay) + (unversioned ? "" : prefix.peek());
}

/** Who calls: a user of the hub; through the relay an account of the cloud besides. */
function credentialsOf(request: Request): Readonly<Record<string, string>> {
  const token = cloudToken.peek();
  const shown = request.key ?? key.peek();
  if (request.ofCloud) return token === null ? {} : { authorization: token };
  if (token === null) return shown === null ? {} : { authorization: shown };
  return { authorization: token, ...(shown !== null && { "x-hub-key": shown }) };
}

/** Returns a signal that aborts with that of a request, or after its time. Old browsers have no AbortSignal.any. */
function boundedBy({ signal: given, timeoutMs = patienceMs }: Request): {
  signal: AbortSignal;
  release: () => void;
} {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const timer = setTimeout(abort, timeoutMs);
  given?.addEventListener("abort", abort);
  if (given?.aborted === true) abort();
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      given?.removeEventListener("abort", abort);
    },
  };
}

async function failureOf(response: Response): Promise<Failure> {
  const retryAfter = response.headers.get("retry-after");
  const said = (await response.json().catch(() => ({}))) as {
    message?: unknown;
    oldest?: unknown;
    errors?: unknown;
  };
  return {
    status: response.status,
    message: typeof said.message === "string" ? said.message : "",
    retryAfterS: retryAfter === null ? undefined : Number(retryAfter),
    oldest: typeof said.oldest === "number" ? said.oldest : undefined,
    errors: Array.isArray(said.errors) ? (said.errors as FieldError[]) : [],
  };
}
