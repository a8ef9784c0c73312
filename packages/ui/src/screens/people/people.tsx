import type { JSX } from "preact";
import { keys, type LocalKey, revokeKey } from "../../api/entry.ts";
import { isOfCloud } from "../../browser.ts";
import { momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace, Empty } from "../../parts/faces.tsx";
import { LiveButton } from "../../parts/live-button.tsx";
import { nameOfUser } from "../../parts/user-options.tsx";
import { change } from "../../store/commands.ts";
import { home, user } from "../../store/home.ts";
import { isAtLeast, roles } from "../../store/roles.ts";
import type { HubUser } from "../../store/wire.ts";
import { t } from "../../texts/texts.ts";
import { Forget } from "./forget.tsx";
import { LetIn } from "./let-in.tsx";
import { RightsTable } from "./rights-table.tsx";
import { roleText } from "./role-text.ts";
import { Sharing } from "./sharing.tsx";

function KeyRow({ of, again }: { readonly of: LocalKey; readonly again: () => void }): JSX.Element {
  const { id, userId, name, expires, current } = of;
  const revoke = async (): Promise<void> => {
    await change(revokeKey(id), t("people.revoked", { name }));
    again();
  };
  return (
    <li class="row">
      <p>
        {name} <span class="muted">{nameOfUser(userId)}</span>{" "}
        <span class="muted">
          {current ? t("people.current") : t("people.until", { time: momentOf(expires) })}
        </span>
      </p>
      {!current && <LiveButton onClick={() => void revoke()}>{t("people.revoke", { name })}</LiveButton>}
    </li>
  );
}

/** People of the home, each with what the owner may do about them. */
function Users({ of }: { readonly of: readonly HubUser[] }): JSX.Element {
  return (
    <ul class="plain">
      {of.map(({ id, user_info: { user: one, role: held } }) => (
        <li key={id}>
          <strong>{one.nickname}</strong> <span class="muted">{roleText(held)}</span>
          {isAtLeast("OWNER_ADMIN") && held < roles.OWNER_ADMIN && id !== user.value && (
            <Forget id={id} name={one.nickname} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Everybody(): JSX.Element {
  const users = home.of.users.list();
  // Of whom the hub has forgotten it knows no name either.
  const former = users.filter(({ revoked, user_info }) => revoked && user_info.user.nickname !== "");
  return (
    <section class="card" aria-labelledby="all-title">
      <h2 id="all-title">{t("people.all")}</h2>
      <Users of={users.filter(({ revoked }) => !revoked)} />
      <RightsTable />
      {former.length > 0 && isAtLeast("OWNER_ADMIN") && (
        <>
          <h3>{t("people.former")}</h3>
          <Users of={former} />
        </>
      )}
    </section>
  );
}

/** Who waits to be let in, and which devices are in. The hub tells only its own network. */
function Entries(): JSX.Element {
  const { asked, again } = useAnswer(keys, "keys");
  const { value: answer } = asked;
  // A hub that makes no keys of its own has neither part.
  const makesKeys = answer.state !== "failed" || answer.failure.status !== 404;
  return (
    <>
      {makesKeys && isAtLeast("IDENTIFIED_USER") && <LetIn done={again} />}
      {makesKeys && (
        <section class="card" aria-labelledby="keys-title">
          <h2 id="keys-title">{t("people.keys")}</h2>
          <AnswerFace
            answer={answer}
            again={again}
            show={(found) => (
              <>
                {Object.keys(found).length === 0 && <Empty title={t("people.noKeys")} />}
                <ul class="plain">
                  {Object.values(found).map((key) => (
                    <KeyRow key={key.id} of={key} again={again} />
                  ))}
                </ul>
              </>
            )}
          />
        </section>
      )}
    </>
  );
}

/** Who is in, with what role and on which devices. */
export function People(): JSX.Element {
  return (
    <>
      <h1 tabIndex={-1}>{t("people.title")}</h1>
      {isOfCloud() ? <Sharing /> : <Entries />}
      <Everybody />
      {!isOfCloud() && <p class="muted">{t("people.byCloud")}</p>}
    </>
  );
}
