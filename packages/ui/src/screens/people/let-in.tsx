import { useSignal } from "@preact/signals";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useEffect } from "preact/hooks";
import { approveLogin, login, type Login } from "../../api/entry.ts";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";
import { route } from "../../route.ts";
import { change, reasonOf } from "../../store/commands.ts";
import { home, role, sync, user } from "../../store/home.ts";
import { isAtLeast } from "../../store/roles.ts";
import { t } from "../../texts/texts.ts";

const panel = "panel";

/** Whom a browser may be let in as: the caller, users of a lower role, or a panel. */
function Choices({ name }: { readonly name: string }): JSX.Element {
  const mayLetInOthers = isAtLeast("USER_ADMIN");
  const others = home.of.users
    .list()
    .filter(({ id, revoked, user_info }) => !revoked && user_info.role < role.value && id !== user.value);
  return (
    <label class="field">
      <span>{t("people.as")}</span>
      <select name={name}>
        <option value="">{t("people.myself")}</option>
        {mayLetInOthers &&
          others.map(({ id, user_info: { user: one } }) => (
            <option key={id} value={id}>
              {one.nickname}
            </option>
          ))}
        {mayLetInOthers && <option value={panel}>{t("people.panel")}</option>}
      </select>
    </label>
  );
}

/** Lets in a browser that shows a code. */
export function LetIn({ done }: { readonly done: () => void }): JSX.Element {
  const found = useSignal<Login | undefined>(undefined);
  const problem = useSignal("");
  // The QR code of a browser that waits leads here.
  const scanned = route.value.query["code"] ?? "";
  const look = async (code: string): Promise<void> => {
    const answer = await login(code);
    found.value = answer.ok ? answer.value : undefined;
    problem.value = answer.ok ? "" : reasonOf(answer);
  };
  useEffect(() => {
    if (scanned !== "") void look(scanned);
  }, [scanned]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("code");
    void look(typeof typed === "string" ? typed.trim() : "");
  };
  const approve = async (
    event: TargetedSubmitEvent<HTMLFormElement>,
    { code, name }: Login,
  ): Promise<void> => {
    event.preventDefault();
    const as = new FormData(event.currentTarget).get("as");
    const whom = as === panel ? { panel: true } : typeof as === "string" && as !== "" ? { userId: as } : {};
    if (await change(approveLogin(code, whom), t("people.approved", { name }))) found.value = undefined;
    done();
  };
  const isBlocked = sync.connection.value !== "live";
  const waiting = found.value;
  return (
    <section class="card" aria-labelledby="let-in-title">
      <h2 id="let-in-title">{t("people.letIn")}</h2>
      <p>{t("people.letInHow")}</p>
      <form onSubmit={submit}>
        <label class="field">
          <span>{t("people.code")}</span>
          <input
            type="text"
            name="code"
            autoComplete="off"
            spellcheck={false}
            maxLength={32}
            defaultValue={scanned}
          />
        </label>
        <Problem>{problem.value}</Problem>
        <Button isBlocked={isBlocked}>{t("people.look")}</Button>
      </form>
      {waiting && (
        <form onSubmit={(event) => void approve(event, waiting)}>
          <p role="status">{t("people.asks", { name: waiting.name, address: waiting.address })}</p>
          <Choices name="as" />
          <Button isMain isBlocked={isBlocked}>
            {t("people.approve")}
          </Button>
        </form>
      )}
    </section>
  );
}
