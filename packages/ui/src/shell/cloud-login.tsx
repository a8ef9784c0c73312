import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Answer } from "../api/call.ts";
import * as cloud from "../api/cloud.ts";
import { useAnswer } from "../parts/answer.ts";
import { Failed, Loading } from "../parts/faces.tsx";
import { Toasts } from "../parts/toasts.tsx";
import { askHubs, hubKeys, hubsFailure, isLoggedIn, leaveCloud, logIn, openHubOf } from "../store/cloud.ts";
import { change, reasonOf } from "../store/commands.ts";
import { hubNameOf } from "../store/hub-key.ts";
import { type Key, t } from "../texts/texts.ts";
import { type FieldText, KeepBox, LineField, LoginForm } from "./login-form.tsx";

/** Mails a password to an address, then takes it. */
function ByMail(): JSX.Element {
  const email = useSignal("");
  const request = async (field: FieldText): Promise<string> => {
    const typed = field("email");
    if (typed === "") return t("login.missing");
    const answer = await cloud.requestPassword(typed);
    if (!answer.ok) return reasonOf(answer);
    email.value = typed;
    return "";
  };
  const enter = async (field: FieldText): Promise<string> => {
    const password = field("password");
    if (password === "") return t("login.missing");
    const answer = await logIn(email.value, password, field("keep") === "on");
    return answer.ok ? "" : reasonOf(answer);
  };
  if (email.value === "")
    return (
      <LoginForm key="email" action={t("cloud.mail")} act={request}>
        <LineField name="email" label={t("cloud.email")} kind="email" />
      </LoginForm>
    );
  return (
    <>
      <p role="status">{t("cloud.mailed", { email: email.value })}</p>
      <LoginForm key="password" action={t("login.enter")} act={enter}>
        <LineField name="password" label={t("cloud.password")} />
        <KeepBox />
      </LoginForm>
      <button type="button" class="button" onClick={() => (email.value = "")}>
        {t("cloud.other")}
      </button>
    </>
  );
}

/** One hub of the account, and whether the relay reaches it. */
function HubCard({ id, hubKey }: { readonly id: string; readonly hubKey: string }): JSX.Element {
  const { asked } = useAnswer((left) => cloud.hubAt(hubKey, left), id);
  const answer = asked.value;
  return (
    <li>
      <button type="button" class="card link" onClick={() => void openHubOf(id)}>
        <span>{answer.state === "done" ? answer.value.name : hubNameOf(hubKey) || id}</span>
        <span class="muted">
          {answer.state === "loading" && t("state.starting")}
          {answer.state === "done" && t("cloud.reachable")}
          {answer.state === "failed" && reasonOf(answer.failure)}
        </span>
      </button>
    </li>
  );
}

/** Homes that others invite the account to. */
function Invitations(): JSX.Element | null {
  const { asked, again } = useAnswer(cloud.invitations, "invitations");
  const answer = asked.value;
  if (answer.state !== "done") return null;
  const decide = async (decided: Promise<Answer<true>>, done: string): Promise<void> => {
    if (await change(decided, done)) void askHubs();
    again();
  };
  return (
    <ul class="plain">
      {answer.value.map(({ hubId, name, by, role }) => (
        <li key={hubId} class="card">
          <p>{t("cloud.invited", { by, name })}</p>
          <p class="muted">{t(`role.${role}` as Key)}</p>
          <button
            type="button"
            class="button main"
            onClick={() => void decide(cloud.accept(hubId), t("cloud.accepted", { name }))}
          >
            {t("cloud.accept", { name })}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => void decide(cloud.decline(hubId), t("cloud.declined", { name }))}
          >
            {t("cloud.decline", { name })}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Hubs(): JSX.Element {
  useEffect(() => {
    void askHubs();
  }, []);
  const failure = hubsFailure.value;
  if (failure !== null) return <Failed failure={failure} again={() => void askHubs()} />;
  const keys = hubKeys.value;
  if (keys === null) return <Loading />;
  const ids = Object.keys(keys);
  if (ids.length === 0) return <p>{t("cloud.none")}</p>;
  return (
    <ul class="plain">
      {ids.map((id) => (
        <HubCard key={id} id={id} hubKey={keys[id] ?? ""} />
      ))}
    </ul>
  );
}

/** The ways in at the cloud: an account, then one of its hubs. */
export function CloudLogin(): JSX.Element {
  return (
    <main class="login" id="content">
      <h1 tabIndex={-1}>{t(isLoggedIn.value ? "cloud.homes" : "login.title")}</h1>
      {isLoggedIn.value ? (
        <>
          <Invitations />
          <Hubs />
          <button type="button" class="button" onClick={() => void leaveCloud()}>
            {t("cloud.logOut")}
          </button>
        </>
      ) : (
        <>
          <p>{t("cloud.how")}</p>
          <ByMail />
        </>
      )}
      <Toasts />
    </main>
  );
}
