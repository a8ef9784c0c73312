import assert from "node:assert/strict";

/** A page or a redirect that a browser got. */
export interface Shown {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where it leads, as an absolute address. */
  readonly location: string | undefined;
}

/** A person's browser: it keeps cookies by their paths, and follows redirects within the cloud. */
export class Browser {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #cookies = new Map<string, { readonly path: string; readonly value: string }>();

  /** @param base of the cloud @param headers of each request */
  constructor(base: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = base;
    this.#headers = headers;
  }

  /** Opens an address. @returns the first page, or the redirect that leaves the cloud */
  open(url: string): Promise<Shown & { readonly url: string }> {
    return this.#go("GET", url);
  }

  /** Sends a form of the page at an address. */
  submit(url: string, fields: Readonly<Record<string, string>>): Promise<Shown & { readonly url: string }> {
    return this.#go("POST", url, new URLSearchParams(fields));
  }

  async #go(
    method: "GET" | "POST",
    url: string,
    form?: URLSearchParams,
  ): Promise<Shown & { readonly url: string }> {
    const shown = await this.#ask(method, url, form);
    const { location } = shown;
    if (location === undefined || !location.startsWith(`${this.#base}/`)) return { ...shown, url };
    return this.#go("GET", location);
  }

  async #ask(method: "GET" | "POST", url: string, form?: URLSearchParams): Promise<Shown> {
    const { pathname } = new URL(url);
    const sent = [...this.#cookies].filter(([, { path }]) => pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name.split(" ")[0]}=${value}`).join("; ");
    const response = await fetch(url, {
      method,
      redirect: "manual",
      headers: { accept: "text/html", ...this.#headers, ...(cookie !== "" && { cookie }) },
      ...(form && { body: form }),
    });
    for (const header of response.headers.getSetCookie()) this.#keep(header);
    const to = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: to === null ? undefined : new URL(to, url).href,
    };
  }

  #keep(header: string): void {
    const [pair = "", ...attributes] = header.split("; ");
    const at = pair.indexOf("=");
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    assert.ok(attributes.includes("httponly") || attributes.includes("HttpOnly"), header);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice("path=".length) ?? "/";
    const isGone = attributes.some((each) => each.includes("1970"));
    if (isGone) this.#cookies.delete(`${name} ${path}`);
    else this.#cookies.set(`${name} ${path}`, { path, value });
  }
}
