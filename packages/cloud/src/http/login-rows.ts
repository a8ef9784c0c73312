import { Refused } from "@ledge/link";
import { isRejection, limits } from "@ledge/model";
import Type from "typebox";
import type { LoggedIn } from "../accounts/logins.ts";
import { languageFor } from "../mail/language-for.ts";
import { languageIn } from "../model/languages.ts";
import { addressIn, noAddress } from "../parts.ts";
import { respondAs } from "./answers.ts";
import { type Row, row } from "./row.ts";

const Email = Type.String({ maxLength: limits.emailChars });
const Password = Type.String({ maxLength: limits.passwordMaxChars });

/** The answer is the bare token, not JSON (wire-facts 4). */
function tokenOf(loggedIn: LoggedIn | undefined): Response | Refused {
  if (loggedIn === undefined) return new Refused(401, "the address or the password is wrong");
  return respondAs("text/plain; charset=UTF-8", loggedIn.token);
}

/** Rows that create and end sessions of accounts. */
export const loginRows: readonly Row[] = [
  row({
    method: "POST",
    path: "/user/requestlogin",
    who: "anyone",
    from: "any",
    fields: Type.Object({ email: Email }),
    allowance: "requestLogin",
    async handle({ cloud, mail, address, header, fields: { email } }) {
      if (addressIn(email) === undefined) return noAddress;
      const place = mail.placeForLogin(email, address);
      if (place instanceof Refused) return place;
      const requested = await cloud.logins.requestLogin(email, address);
      if (isRejection(requested)) return requested;
      const language = languageFor(email, cloud.directory, header("accept-language"));
      return (await mail.login(requested, place, language)) ?? null;
    },
  }),
  row({
    method: "POST",
    path: "/user/emaillogin",
    who: "anyone",
    from: "any",
    fields: Type.Object({ email: Email, password: Password }),
    allowance: "emailLogin",
    handle: async ({ cloud, address, header, fields: { email, password } }) =>
      tokenOf(await cloud.logins.logIn(email, password, address, languageIn(header("accept-language")))),
  }),
  row({
    method: "POST",
    path: "/user/login",
    who: "anyone",
    from: "json",
    fields: Type.Object({ email: Email, password: Password }),
    allowance: "passwordLogin",
    handle: async ({ cloud, header, fields: { email, password } }) =>
      tokenOf(await cloud.logins.logInWithPassword(email, password, languageIn(header("accept-language")))),
  }),
  ...(["GET", "POST"] as const).map((method) =>
    row({
      method,
      path: "/user/refreshsession",
      who: "account",
      addsToLog: true,
      handle: async ({ cloud, caller }) => tokenOf(await cloud.logins.refresh(caller)),
    }),
  ),
  row({
    method: "PUT",
    path: "/user/logout",
    who: "account",
    async handle({ cloud, caller }) {
      await cloud.logins.logOut(caller);
      return true;
    },
  }),
];
