import type { IncomingMessage, ServerResponse } from "node:http";
import { Refused } from "@ledge/link";
import { isRejection } from "@ledge/model";
import type { Interaction, Provider } from "oidc-provider";
import type { Cloud } from "../cloud.ts";
import type { Allowances } from "../http/allowances.ts";
import type { CloudMail } from "../mail/cloud-mail.ts";
import { languageFor } from "../mail/language-for.ts";
import { shownName } from "../mail/shown-name.ts";
import type { Account } from "../model/account.ts";
import { type OAuthScope, oauthScopes } from "../model/oauth-scopes.ts";
import { addressIn } from "../parts.ts";
import { type Language, languageOf } from "../model/languages.ts";
import type { OAuthLibrary } from "./provider.ts";
import { consentPage, emailPage, gonePage, passwordPage, policyOf } from "./pages.ts";

export interface InteractionParts {
  readonly cloud: Pick<Cloud, "logins" | "clients" | "tenancy" | "kernel" | "directory">;
  readonly mail: Pick<CloudMail, "placeForLogin" | "login">;
  readonly allowances: Pick<Allowances, "caller" | "email">;
  /** Elapsed time (ms). */
  readonly now: () => number;
}

/** A request of a person's browser. */
export interface Visit {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Where it comes from (IP). */
  readonly address: string;
  /** What the browser has sent; undefined when it only asks for the page. */
  readonly form: URLSearchParams | undefined;
}

/**
 * Answers the pages on which people log in and allow a client something. A browser is recognised by a cookie
 * that no other site's form carries along.
 */
export async function answerInteraction(
  { provider, library }: { readonly provider: Provider; readonly library: OAuthLibrary },
  visit: Visit,
  parts: InteractionParts,
): Promise<void> {
  const { incoming, outgoing, form } = visit;
  const language = incoming.headers["accept-language"];
  let interaction: Interaction;
  try {
    interaction = await provider.interactionDetails(incoming, outgoing);
  } catch (error) {
    if (!(error instanceof library.errors.SessionNotFound)) throw error;
    return send(outgoing, 404, gonePage(languageOf(language)));
  }
  const step = form?.get("step");
  if (step === "cancel") {
    const result = { error: "access_denied", error_description: "the person has refused" };
    return provider.interactionFinished(incoming, outgoing, result, { mergeWithLastSubmission: false });
  }
  if (interaction.prompt.name === "login") return logIn(provider, interaction, visit, parts);
  return consent(provider, interaction, visit, parts);
}

async function logIn(
  provider: Provider,
  interaction: Interaction,
  visit: Visit,
  parts: InteractionParts,
): Promise<void> {
  const { incoming, outgoing, form } = visit;
  const { shown, target } = aboutOf(interaction, incoming, parts.cloud);
  const { language } = shown;
  const step = form?.get("step");
  if (step === "password") {
    const account = await accountOf(visit, parts, language);
    if (typeof account === "object") {
      const login = { accountId: account.id, amr: ["otp"] };
      return provider.interactionFinished(incoming, outgoing, { login }, { mergeWithLastSubmission: false });
    }
    const page = passwordPage(shown, emailIn(visit), account);
    return send(outgoing, problemStatus[account], page, target);
  }
  if (step !== "email") {
    const { login_hint: hint } = interaction.params;
    return send(outgoing, 200, emailPage(shown, typeof hint === "string" ? hint : ""), target);
  }
  const problem = await sendPassword(visit, parts, language);
  const email = emailIn(visit);
  if (problem === undefined) return send(outgoing, 200, passwordPage(shown, email), target);
  return send(outgoing, problemStatus[problem], emailPage(shown, email, problem), target);
}

const problemStatus = { noAddress: 422, tooMany: 429, notNow: 503, wrongPassword: 401 } as const;

function emailIn({ form }: Visit): string {
  return form?.get("email") ?? "";
}

function isTooOften(what: "requestLogin" | "emailLogin", visit: Visit, parts: InteractionParts): boolean {
  const { allowances, now } = parts;
  const { address } = visit;
  return (
    allowances.caller(what, address, now()) !== undefined ||
    allowances.email(what, emailIn(visit), address, now()) !== undefined
  );
}

/** Sends a one-time password to the address of the form. Returns why not. */
async function sendPassword(
  visit: Visit,
  parts: InteractionParts,
  language: Language,
): Promise<"noAddress" | "tooMany" | "notNow" | undefined> {
  const { cloud, mail } = parts;
  const { address } = visit;
  const email = emailIn(visit);
  if (addressIn(email) === undefined) return "noAddress";
  if (isTooOften("requestLogin", visit, parts)) return "tooMany";
  const place = mail.placeForLogin(email, address);
  if (place instanceof Refused) return "tooMany";
  const requested = await cloud.logins.requestLogin(email, address);
  if (isRejection(requested)) return "noAddress";
  return (await mail.login(requested, place, languageFor(email, cloud.directory, language))) === undefined
    ? undefined
    : "notNow";
}

/** Returns the account of the address and the password of the form, or why there is none. */
async function accountOf(
  visit: Visit,
  parts: InteractionParts,
  language: Language,
): Promise<Account | "wrongPassword" | "tooMany"> {
  if (isTooOften("emailLogin", visit, parts)) return "tooMany";
  const password = visit.form?.get("password") ?? "";
  const account = await parts.cloud.logins.proveAddress(emailIn(visit), password, visit.address, language);
  return account ?? "wrongPassword";
}

async function consent(
  provider: Provider,
  interaction: Interaction,
  { incoming, outgoing, form }: Visit,
  { cloud }: Pick<InteractionParts, "cloud">,
): Promise<void> {
  const accountId = interaction.session?.accountId ?? "";
  const { clientId, shown, target } = aboutOf(interaction, incoming, cloud);
  const { missingOIDCScope = [], missingResourceScopes = {} } = interaction.prompt.details as Missing;
  if (form?.get("step") !== "consent") {
    const asked = new Set([...scopesIn(interaction.params["scope"]), ...missingOIDCScope]);
    const tenant = cloud.tenancy.tenant(cloud.tenancy.activeTenantOf(accountId))?.displayName ?? "";
    const page = consentPage({
      ...shown,
      email: cloud.kernel.get("account", accountId)?.email ?? "",
      tenant,
      place: placeOf(target),
      scopes: oauthScopes.filter((scope) => asked.has(scope) && scope !== "internal"),
    });
    return send(outgoing, 200, page, target);
  }
  const { grantId } = interaction;
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId, clientId });
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(" "));
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(" "));
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(incoming, outgoing, result, { mergeWithLastSubmission: true });
}

/** What a grant does not have yet. */
interface Missing {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}

/** Returns what the pages show of an interaction, and where the client gets its answer. */
function aboutOf(
  { params }: Interaction,
  incoming: IncomingMessage,
  { clients }: Pick<Cloud, "clients">,
): { clientId: string; shown: Parameters<typeof emailPage>[0]; target: string } {
  const { client_id, redirect_uri, ui_locales } = params as Readonly<Record<string, string | undefined>>;
  const client = clients.get(client_id ?? "");
  const language = languageOf(ui_locales, incoming.headers["accept-language"]);
  const target = redirect_uri ?? client?.redirectUris[0] ?? "";
  return { clientId: client_id ?? "", shown: { language, client: shownName(client?.name ?? "") }, target };
}

function placeOf(target: string): string {
  const url = URL.parse(target);
  return url === null || url.host === "" ? (url?.protocol ?? "") : url.host;
}

function scopesIn(scope: unknown): readonly OAuthScope[] {
  const asked = new Set(typeof scope === "string" ? scope.split(" ") : []);
  return oauthScopes.filter((each) => asked.has(each));
}

function send(outgoing: ServerResponse, status: number, page: string, target?: string): void {
  outgoing.writeHead(status, {
    "content-type": "text/html; charset=UTF-8",
    "content-security-policy": policyOf(target),
  });
  outgoing.end(page);
}
