import type { JSX } from "preact";
import { waysIn } from "../../api/entry.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { home } from "../../store/home.ts";
import { t } from "../../texts/texts.ts";

const owner = 64;

/** An example that nobody's address is (RFC 2606). */
const transferCommand = "sudo ledge owner transfer you@example.org";

/** Returns the owner's e-mail address; empty where the owner gave none. */
function emailOfOwner(): string {
  for (const id of home.of.users.ids.value) {
    const found = home.of.users.of(id).value;
    if (found !== undefined && !found.revoked && found.user_info.role === owner)
      return found.user_info.user.email;
  }
  return "";
}

function Way({ cloud }: { readonly cloud: string }): JSX.Element {
  const email = emailOfOwner();
  if (email !== "") return <p>{t("system.cloudOpen", { cloud, email })}</p>;
  return (
    <>
      <p>{t("system.cloudNot", { cloud })}</p>
      <p>
        <code>{transferCommand}</code>
      </p>
      <p class="muted">{t("system.cloudThen")}</p>
    </>
  );
}

/** How the owner reaches the hub from anywhere, or what is missing for it. */
export function Cloud(): JSX.Element {
  const { asked, again } = useAnswer(waysIn, "cloud");
  return (
    <section class="card" aria-labelledby="cloud-title">
      <h2 id="cloud-title">{t("system.cloud")}</h2>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={({ cloud }) => (cloud === null ? <p>{t("system.cloudNone")}</p> : <Way cloud={cloud} />)}
      />
    </section>
  );
}
