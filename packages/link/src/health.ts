/** The state of a process, as far as everybody may know it. */
export interface Health {
  /** `serving`, `read-only` or another state of a kernel; or `starting`. */
  readonly state: string;
  /** Why it is not serving. */
  readonly reason: string | null;
  readonly clockTrusted: boolean;
  readonly quotaExceeded: boolean;
}

/** The answer to `GET /healthz`, in every state. */
export interface HealthAnswer {
  /** 200 while it answers from its log, otherwise 503. */
  readonly code: 200 | 503;
  readonly body: {
    readonly status: string;
    readonly reason: string | null;
    /** Status and reason in words; every error answer has this field. */
    readonly message: string;
    readonly clockTrusted: boolean;
    readonly quotaExceeded: boolean;
  };
}

const answering: ReadonlySet<string> = new Set(["serving", "following", "read-only"]);

/** Returns the state of a process as the answer to `GET /healthz`. */
export function healthAnswer({ state: status, reason, clockTrusted, quotaExceeded }: Health): HealthAnswer {
  const message = reason === null ? status : `${status}: ${reason}`;
  const code = answering.has(status) ? 200 : 503;
  return { code, body: { status, reason, message, clockTrusted, quotaExceeded } };
}

/**
 * Returns the answer to `GET /healthz` of a process that opens its log; undefined for other requests, which
 * wait.
 * @param name of the process, such as "hub"
 */
export function startingHealth({ method, url }: Request, name: string): HealthAnswer | undefined {
  if ((method !== "GET" && method !== "HEAD") || new URL(url).pathname !== "/healthz") return undefined;
  const reason = `the ${name} opens its log`;
  return healthAnswer({ state: "starting", reason, clockTrusted: false, quotaExceeded: false });
}
