import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { reasonOf } from "../store/commands.ts";
import { enter } from "../store/home.ts";
import { t } from "../texts/texts.ts";

/** What prints a key, at the console of the hub. */
const trialCommand = "npm run -s ledge -- key";
const recoverCommand = "ledge key --recover";

/** Where somebody shows the key that opens the hub. */
export function Login(): JSX.Element {
  const problem = useSignal("");
  const isAsking = useSignal(false);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const typed = form.get("key");
    const key = typeof typed === "string" ? typed.trim() : "";
    if (key === "") {
      problem.value = t("login.empty");
      return;
    }
    isAsking.value = true;
    const answer = await enter(key, form.get("keep") === "on");
    isAsking.value = false;
    problem.value = answer.ok ? "" : answer.status === 401 ? t("login.wrong") : reasonOf(answer);
  };
  return (
    <main class="login" id="content">
      <h1 tabIndex={-1}>{t("login.title")}</h1>
      <p>{t("login.how")}</p>
      <p>
        <code>{trialCommand}</code>
      </p>
      <p>{t("login.recover")}</p>
      <p>
        <code>{recoverCommand}</code>
      </p>
      <form onSubmit={(event) => void submit(event)} noValidate>
        <label class="field">
          <span>{t("login.key")}</span>
          <textarea
            name="key"
            rows={3}
            autoComplete="off"
            spellcheck={false}
            aria-describedby="login-problem"
            aria-invalid={problem.value !== ""}
          />
        </label>
        <label class="check">
          <input type="checkbox" name="keep" defaultChecked />
          <span>{t("login.keep")}</span>
        </label>
        <p id="login-problem" class="problem" role="alert">
          {problem.value}
        </p>
        <button type="submit" class="button main" disabled={isAsking.value}>
          {t("login.enter")}
        </button>
      </form>
    </main>
  );
}
