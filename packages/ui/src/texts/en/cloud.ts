import type { Text } from "../text.ts";

/** The texts of the ways in at the cloud, in English. */
export const cloud = {
  "cloud.how": "Your hubs answer here from anywhere. The cloud mails you a password that works once.",
  "cloud.email": "E-mail address",
  "cloud.mail": "Send me a password",
  "cloud.mailed": "If {email} has an account, or may have one, a password is on its way.",
  "cloud.password": "Password from the mail",
  "cloud.other": "Use another address",
  "cloud.homes": "Your homes",
  "cloud.none": "No hub is open to this account yet. Its owner invites you, or you claim a hub.",
  "cloud.reachable": "reachable",
  "cloud.invited": "{by} invites you to {name}.",
  "cloud.accept": "Accept {name}",
  "cloud.decline": "Decline {name}",
  "cloud.accepted": "{name} is open to you",
  "cloud.declined": "{name} is declined",
  "cloud.logOut": "Log out",
} as const satisfies Readonly<Record<string, Text>>;
