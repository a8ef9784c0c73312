import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { beginLogin, type LoginBegun, pollLogin, setUp, waysIn } from "../api/entry.ts";
import { deviceName, pause } from "../browser.ts";
import { useAnswer } from "../parts/answer.ts";
import { Problem } from "../parts/problem.tsx";
import { reasonOf } from "../store/commands.ts";
import { beginFirstSteps } from "../store/first-steps.ts";
import { enter, hub } from "../store/home.ts";
import { t } from "../texts/texts.ts";
import { Scan } from "./scan.tsx";
import { type FieldText, KeepBox, LineField, LoginForm } from "./login-form.tsx";

/** What prints a key, at the console of the hub. */
const trialCommand = "npm run -s ledge -- key";
const recoverCommand = "ledge key --recover";

/** Enters with a key. @returns what is wrong with it, or nothing */
async function enterWith(key: string, keepsKey: boolean): Promise<string> {
  const answer = await enter(key, keepsKey);
  if (answer.ok) return "";
  return answer.status === 401 ? t("login.wrong") : reasonOf(answer);
}

const keeps = (field: FieldText): boolean => field("keep") === "on";

/** For a hub that nobody owns yet. */
function SetUp({ cloud }: { readonly cloud: string | null }): JSX.Element {
  const act = async (field: FieldText): Promise<string> => {
    const [code, nickname, name] = [field("code"), field("nickname"), field("device")];
    if (code === "" || nickname === "" || name === "") return t("login.missing");
    const answer = await setUp(code, nickname, name, field("email"));
    if (!answer.ok) return reasonOf(answer);
    await beginFirstSteps(keeps(field));
    return enterWith(answer.value.key, keeps(field));
  };
  return (
    <>
      <h1 tabIndex={-1}>{t("setup.title")}</h1>
      <p>{t("setup.how")}</p>
      <LoginForm action={t("setup.done")} act={act}>
        <LineField name="code" label={t("setup.code")} />
        <LineField name="nickname" label={t("setup.nickname")} />
        {cloud !== null && <LineField name="email" label={t("setup.email", { cloud })} kind="email" />}
        <LineField name="device" label={t("login.device")} value={deviceName()} />
        <KeepBox />
      </LoginForm>
    </>
  );
}

/** Shows the code until somebody has let this browser in. */
function Waiting(props: {
  readonly begun: LoginBegun;
  readonly keepsKey: boolean;
  readonly end: (problem: string) => void;
}): JSX.Element {
  const { begun, keepsKey, end } = props;
  useEffect(() => {
    const left = new AbortController();
    const ask = async (): Promise<void> => {
      while (!left.signal.aborted) {
        await pause(begun.interval * 1000, left.signal);
        const answer = await pollLogin(begun.secret);
        if (left.signal.aborted) return;
        if (answer.ok && answer.value.type === "LOGIN_KEY")
          return end(await enterWith(answer.value.key, keepsKey));
        if (!answer.ok && answer.status === 404) return end(t("login.over"));
      }
    };
    void ask();
    return () => left.abort();
  }, [begun]);
  return (
    <section class="card" aria-labelledby="code-title">
      <h2 id="code-title">{t("login.code")}</h2>
      <p class="code">{begun.code}</p>
      <Scan code={begun.code} />
      <p role="status">{t("login.waits")}</p>
    </section>
  );
}

/** For a device of somebody whom another lets in. */
function AskIn(): JSX.Element {
  const begun = useSignal<{ readonly of: LoginBegun; readonly keepsKey: boolean } | undefined>(undefined);
  const problem = useSignal("");
  const act = async (field: FieldText): Promise<string> => {
    const name = field("device");
    if (name === "") return t("login.missing");
    const answer = await beginLogin(name);
    if (!answer.ok) return reasonOf(answer);
    problem.value = "";
    begun.value = { of: answer.value, keepsKey: keeps(field) };
    return "";
  };
  const end = (why: string): void => {
    begun.value = undefined;
    problem.value = why;
  };
  if (begun.value !== undefined) {
    const { of, keepsKey } = begun.value;
    return <Waiting begun={of} keepsKey={keepsKey} end={end} />;
  }
  return (
    <>
      <p>{t("login.askHow")}</p>
      {problem.value !== "" && <Problem>{problem.value}</Problem>}
      <LoginForm action={t("login.ask")} act={act}>
        <LineField name="device" label={t("login.device")} value={deviceName()} />
        <KeepBox />
      </LoginForm>
    </>
  );
}

/** For somebody who has a key of the cloud or of the console. */
function ShowKey({ isOnly }: { readonly isOnly: boolean }): JSX.Element {
  const act = async (field: FieldText): Promise<string> => {
    const key = field("key");
    return key === "" ? t("login.empty") : enterWith(key, keeps(field));
  };
  return (
    <details class="card" open={isOnly}>
      <summary>{t("login.haveKey")}</summary>
      <p>{t("login.how")}</p>
      <p>
        <code>{trialCommand}</code>
      </p>
      <p>{t("login.recover")}</p>
      <p>
        <code>{recoverCommand}</code>
      </p>
      <LoginForm action={t("login.enter")} act={act}>
        <label class="field">
          <span>{t("login.key")}</span>
          <textarea name="key" rows={3} autoComplete="off" spellcheck={false} />
        </label>
        <KeepBox />
      </LoginForm>
    </details>
  );
}

/** The ways in: a setup code, somebody who is in, or a key. */
export function Login(): JSX.Element {
  const { asked } = useAnswer(waysIn, "ways in");
  const canAsk = asked.value.state === "done";
  const cloud = asked.value.state === "done" ? asked.value.value.cloud : null;
  const isNew = hub.value?.state === "factory_new";
  return (
    <main class="login" id="content">
      {canAsk && isNew ? (
        <SetUp cloud={cloud} />
      ) : (
        <>
          <h1 tabIndex={-1}>{t("login.title")}</h1>
          {canAsk && <AskIn />}
        </>
      )}
      <ShowKey isOnly={asked.value.state === "failed"} />
    </main>
  );
}
