import { type ClaimPolicy, Refused } from "@ledge/api";
import { CloudError } from "./cloud-client.ts";
import type { CloudLink } from "./cloud-link.ts";

const wayOut =
  'whoever has root on the hub\'s machine can run "ledge key --recover --email EMAIL" instead; docs/self-host.md says how to run a cloud of your own';

/** Makes the cloud confirm who the owner is, because an email address alone proves nothing. */
export function establishOwner(link: CloudLink | undefined): ClaimPolicy["establish"] {
  return async (email, make) => {
    if (link === undefined)
      return new Refused(422, `this hub has no cloud to ask who ${email} is: ${wayOut}`);
    try {
      const made = await link.claim(email, make);
      return made ?? new Refused(422, "somebody is claiming this hub right now");
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      const { status, message } = error;
      // The cloud's message about the address is meant for the person who typed it.
      if (status === 422) return new Refused(422, message);
      if (status === 429) return new Refused(429, message, [], 60);
      return new Refused(503, `the hub cannot be claimed without its cloud: ${message}; ${wayOut}`);
    }
  };
}
