import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { type Authorization, authorizations, invite, revokeAccess, setRole } from "../../api/cloud.ts";
import { momentOf } from "../../format.ts";
import { useAnswer } from "../../parts/answer.ts";
import { AnswerFace } from "../../parts/faces.tsx";
import { Problem } from "../../parts/problem.tsx";
import { openedHub } from "../../store/cloud.ts";
import { change, reasonOf } from "../../store/commands.ts";
import { user } from "../../store/home.ts";
import { grantedRoles, isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";
import { roleText } from "./role-text.ts";

function RoleChoice(props: {
  readonly name: string;
  readonly label: string;
  readonly value: number;
  readonly choose?: (role: number) => void;
}): JSX.Element {
  const { name, label, value, choose } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <select
        name={name}
        value={value}
        onChange={({ currentTarget }) => choose?.(Number(currentTarget.value))}
      >
        {grantedRoles.map((role) => (
          <option key={role} value={role}>
            {roleText(role)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Somebody with access, and how it is changed or taken. The owner and oneself stay as they are. */
function Person(props: {
  readonly of: Authorization;
  readonly hubId: string;
  readonly again: () => void;
}): JSX.Element {
  const { of, hubId, again } = props;
  const { email, role, owner, invitedUntil } = of;
  const isFixed = owner || of.user_id === user.value || !isAtLeast("USER_ADMIN");
  const giveRole = async (next: number): Promise<void> => {
    const back = (): ReturnType<typeof setRole> => setRole(hubId, email, role);
    await change(setRole(hubId, email, next), t("people.roleGiven", { name: email }), back);
    again();
  };
  const revoke = async (): Promise<void> => {
    await change(revokeAccess(hubId, email), t("people.accessTaken", { name: email }));
    again();
  };
  return (
    <li class="card">
      <p>
        <strong>{email}</strong>{" "}
        <span class="muted">
          {invitedUntil === null ? roleText(role) : t("people.invited", { time: momentOf(invitedUntil) })}
        </span>
      </p>
      {!isFixed && invitedUntil === null && (
        <RoleChoice
          name="role"
          label={t("people.roleOf", { name: email })}
          value={role}
          choose={(next) => void giveRole(next)}
        />
      )}
      {!isFixed && (
        <button type="button" class="button" onClick={() => void revoke()}>
          {t(invitedUntil === null ? "people.takeAccess" : "people.takeInvitation", { name: email })}
        </button>
      )}
    </li>
  );
}

/** Invites an address by mail. */
function Invite({ hubId, again }: { readonly hubId: string; readonly again: () => void }): JSX.Element {
  const problem = useSignal("");
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const email = fields.get("email");
    if (typeof email !== "string" || email.trim() === "") {
      problem.value = t("login.missing");
      return;
    }
    const answer = await invite(hubId, email.trim(), Number(fields.get("role")));
    problem.value = answer.ok ? "" : reasonOf(answer);
    if (!answer.ok) return;
    form.reset();
    await change(Promise.resolve(answer), t("people.invitedNow", { name: email.trim() }));
    again();
  };
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <h3>{t("people.invite")}</h3>
      <label class="field">
        <span>{t("cloud.email")}</span>
        <input type="text" inputMode="email" name="email" autoComplete="off" maxLength={254} />
      </label>
      <RoleChoice name="role" label={t("people.as")} value={grantedRoles[1]} />
      <Problem>{problem.value}</Problem>
      <button type="submit" class="button main">
        {t("people.sendInvitation")}
      </button>
    </form>
  );
}

/** Who has access to the hub by an account of the cloud; people of the page of the cloud give and take it. */
export function Sharing(): JSX.Element {
  const hubId = openedHub.value;
  const { asked, again } = useAnswer((signal) => authorizations(hubId, signal), hubId);
  return (
    <section class="card" aria-labelledby="sharing-title">
      <h2 id="sharing-title">{t("people.access")}</h2>
      <AnswerFace
        answer={asked.value}
        again={again}
        show={(people) => (
          <ul class="plain">
            {people.map((one) => (
              <Person key={one.user_id} of={one} hubId={hubId} again={again} />
            ))}
          </ul>
        )}
      />
      {isAtLeast("USER_ADMIN") && <Invite hubId={hubId} again={again} />}
    </section>
  );
}
