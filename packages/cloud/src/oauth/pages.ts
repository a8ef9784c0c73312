import { hash } from "node:crypto";
import type { Language } from "../model/languages.ts";
import type { OAuthScope } from "../model/oauth-scopes.ts";
import { pageTexts } from "./page-texts.ts";

/** Dark where the reader's other programs are, and readable on a narrow screen whatever a client is called. */
const style = [
  ":root{color-scheme:light dark}",
  "body{overflow-wrap:anywhere;font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:2rem auto;padding:0 1rem}",
  "label,input,button{display:block;font:inherit;margin:.5rem 0}",
  "input{width:100%;box-sizing:border-box;padding:.5rem}button{padding:.5rem 1rem;min-height:2.75rem}",
  "[role=alert]{border-left:.3rem solid;padding-left:.7rem;font-weight:bold}",
].join("");

/**
 * The content security policy of the pages: no script, and their one style by its hash.
 * @param target where the client gets the answer: browsers also ask whether a form may lead there
 */
export function policyOf(target?: string): string {
  const url = target === undefined ? null : URL.parse(target);
  const place = url === null ? "" : ` ${url.origin === "null" ? url.protocol : url.origin}`;
  const styles = `'sha256-${hash("sha256", style, "base64")}'`;
  return `default-src 'none'; style-src ${styles}; form-action 'self'${place}; frame-ancestors 'none'; base-uri 'none'`;
}

/** What every page of an interaction shows. */
interface Shown {
  readonly language: Language;
  /** The client's name, as its makers have written it. */
  readonly client: string;
}

/** Asks for the mail address. @param problem what is wrong with the last one */
export function emailPage(
  { language, client }: Shown,
  email: string,
  problem?: "noAddress" | "tooMany" | "notNow",
): string {
  const texts = pageTexts[language];
  return page(language, texts.logIn, problem && texts[problem], [
    `<p>${filled(texts.logInFor, { client })}</p>`,
    `<form method="post">${hidden("step", "email")}`,
    `<label for="email">${texts.email}</label>`,
    `<input id="email" name="email" type="email" autocomplete="email" required maxlength="320" value="${escaped(email)}">`,
    `<button>${texts.sendPassword}</button></form>`,
    cancelForm(texts.cancel),
  ]);
}

/** Asks for the password of the mail. @param problem what is wrong with the last one */
export function passwordPage(
  { language }: Shown,
  email: string,
  problem?: "wrongPassword" | "tooMany",
): string {
  const texts = pageTexts[language];
  return page(language, texts.logIn, problem && texts[problem], [
    `<p>${filled(texts.sent, { email })}</p>`,
    `<form method="post">${hidden("step", "password")}${hidden("email", email)}`,
    `<label for="password">${texts.password}</label>`,
    '<input id="password" name="password" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" required maxlength="256">',
    `<button>${texts.logIn}</button></form>`,
    `<form method="get"><button>${texts.otherAddress}</button></form>`,
    cancelForm(texts.cancel),
  ]);
}

/** What a client asks a person for. */
export interface Asked extends Shown {
  readonly email: string;
  readonly tenant: string;
  /** Where the answer goes. */
  readonly place: string;
  readonly scopes: readonly OAuthScope[];
}

/** Asks for consent. */
export function consentPage({ language, client, email, tenant, place, scopes }: Asked): string {
  const texts = pageTexts[language];
  return page(language, texts.allow, undefined, [
    `<p>${filled(texts.goesTo, { email, place })}</p>`,
    `<p>${filled(texts.asks, { client })}</p>`,
    `<ul>${scopes.map((scope) => `<li>${texts.scopes[scope]}</li>`).join("")}</ul>`,
    `<p>${filled(texts.inTenant, { tenant })}</p>`,
    `<form method="post">${hidden("step", "consent")}<button>${texts.allow}</button></form>`,
    cancelForm(texts.deny),
  ]);
}

/** Says that a page is no more. */
export function gonePage(language: Language): string {
  const texts = pageTexts[language];
  return page(language, texts.failed, undefined, [`<p>${texts.gone}</p>`]);
}

/** Says that a client has sent something wrong. @param error its code (RFC 6749 4.1.2.1) */
export function errorPage(language: Language, error: string): string {
  const texts = pageTexts[language];
  return page(language, texts.failed, undefined, [`<p>${filled(texts.cannot, { error })}</p>`]);
}

function page(
  language: Language,
  title: string,
  problem: string | undefined,
  body: readonly string[],
): string {
  const alert = problem === undefined ? "" : `<p role="alert">${problem}</p>`;
  return [
    `<!doctype html><html lang="${language}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title} - Ledge</title><style>${style}</style></head>`,
    `<body><main><h1>${title}</h1>${alert}${body.join("")}</main></body></html>`,
  ].join("");
}

function cancelForm(label: string): string {
  return `<form method="post">${hidden("step", "cancel")}<button>${label}</button></form>`;
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escaped(value)}">`;
}

/** Fills texts from outside into one of ours. */
function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => escaped(values[name] ?? ""));
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
