import { useState } from 'preact/hooks'
import { Opened } from '../parts/opened.tsx'
import { useOperation } from '../parts/operation.ts'
import { Problem } from '../parts/problem.tsx'
import { Modal } from '../parts/question.tsx'
import type { Failure } from '../rules/failure.ts'
import { mustChange, mustEnrol, session } from '../service/client.ts'
import { refreshAll } from '../service/resources.ts'
import { forget, isKept, logIn, openConnections } from '../service/session.ts'
import { t } from '../words/index.ts'

interface Props {
  readonly title: string
  /** The name, where there is no choice. */
  readonly user?: string
}

/** Before anything else. */
export function Login({ title, ...props }: Props) {
  return (
    <main class="login">
      <h1>{title}</h1>
      <Form {...props} />
    </main>
  )
}

/** In front of the page, when the session is over. Everything stays as it is behind it. */
export function LoginAgain() {
  return (
    <Modal title={t('expired')} onClose={undefined}>
      <Form user={session.value?.user ?? ''} />
      <button type="button" class="plain" onClick={forget}>
        {t('logOut')}
      </button>
    </Modal>
  )
}

function Form({ user }: { readonly user?: string }) {
  const operation = useOperation()
  const [isCodeNeeded, needCode] = useState(false)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string) => String(form.get(name) ?? '')
    void operation.run(() =>
      logIn(user ?? text('user'), text('password'), form.has('keep'), text('code')).catch((error: unknown) => {
        if (!isAbout(error as Failure, 'AuthenticationTokenRequired')) throw error
        needCode(true)
      })
    )
  }
  return (
    <form onSubmit={submit}>
      <label>
        {t('user')}
        <input
          name="user"
          autocomplete="username"
          required
          value={user}
          disabled={user !== undefined}
          onChange={openConnections}
        />
      </label>
      <label>
        {t('password')}
        <input
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus={user !== undefined}
        />
      </label>
      {isCodeNeeded && (
        <>
          <label>
            {t('code')}
            <input name="code" autocomplete="one-time-code" required aria-describedby="code-help" ref={focused} />
          </label>
          <small id="code-help">{t('codeHelp')}</small>
        </>
      )}
      <label class="check">
        <input name="keep" type="checkbox" defaultChecked={isKept()} />
        {t('keep')}
      </label>
      <button type="submit" class="primary" aria-busy={operation.busy}>
        {t('logIn')}
      </button>
      <LoginProblem failure={operation.failure} />
    </form>
  )
}

const isAbout = ({ messages }: Failure, name: string) => messages?.[0]?.MessageId.endsWith(`.${name}`)

/** A field that appears where the user goes on. */
const focused = (field: HTMLInputElement | null) => field?.focus()

/** The registries are not for those who are not logged in: the page has its own words for what a login meets. */
function LoginProblem({ failure }: { readonly failure: Failure | undefined }) {
  if (failure === undefined) return null
  const id = failure.messages[0]?.MessageId ?? ''
  if (failure.messages[0]?.Message !== undefined || failure.status === 0) return <Problem failure={failure} />
  const word = id.endsWith('.OneTimeCodeIncorrect')
    ? 'wrongCode'
    : failure.status === 401
      ? 'wrongPassword'
      : id.endsWith('.SessionLimitExceeded')
        ? 'tooManySessions'
        : 'noLogin'
  return (
    <p class="problem" role="alert">
      {t(word)}
    </p>
  )
}

const loadPassword = async () => (await import('../frame/own-password.tsx')).NewPassword

/** Until the password is changed, the service serves nothing else (DSP0266 13.2.6). */
export function ChangePassword({ account }: { readonly account: string }) {
  const onDone = () => {
    mustChange.value = undefined
    refreshAll()
  }
  return (
    <Modal title={t('changeFirst')} onClose={undefined}>
      <Opened load={loadPassword} props={{ uri: account, onDone }} />
    </Modal>
  )
}

const loadEnrolment = async () => (await import('../frame/own-factor.tsx')).Enrolment

/** Until there is a key for one-time codes, the service serves nothing else. */
export function EnrolFirst({ account }: { readonly account: string }) {
  const onDone = () => {
    mustEnrol.value = undefined
    refreshAll()
  }
  return (
    <Modal title={t('secondFactorFirst')} onClose={undefined}>
      <Opened load={loadEnrolment} props={{ uri: account, onDone }} />
    </Modal>
  )
}
