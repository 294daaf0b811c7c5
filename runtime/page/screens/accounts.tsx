import { Action, Outcome } from '../parts/action.tsx'
import { Editable } from '../parts/editable.tsx'
import { useOperation } from '../parts/operation.ts'
import { Card, Loaded, Table, when } from '../parts/show.tsx'
import { Submit } from '../parts/submit.tsx'
import { valueIn } from '../rules/known.ts'
import { send, session } from '../service/client.ts'
import { mayOnlyRead } from '../service/privileges.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Account, Expanded, SessionResource } from '../types.ts'
import { t } from '../words/index.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'
const all = `${accounts}?$expand=.`
const service = '/redfish/v1/AccountService/'
const sessions = '/redfish/v1/SessionService/Sessions/?$expand=.'

/** Who may log in, and who is. */
export function Accounts() {
  return (
    <div class="cards">
      <Loaded from={useResource<Expanded<Account>>(all)}>
        {({ Members }) => Members.map((each) => <AccountCard key={each.Id} uri={each['@odata.id']} />)}
      </Loaded>
      <Create />
      <Card title={t('logins')}>
        <Editable uri={service} from={useResource<object>(service)} />
      </Card>
      <Sessions />
    </div>
  )
}

function AccountCard({ uri }: { readonly uri: string }) {
  const known = useResource<Account>(uri)
  return (
    <Loaded from={known}>
      {({ UserName = '', Locked }) => (
        <Card title={UserName}>
          {Locked && <p class="problem">{t('locked')}</p>}
          <Editable
            uri={uri}
            from={known}
            own={UserName === session.value?.user}
            which={({ path }) => !mayOnlyRead.value || path[0] === 'Password'}
          />
          <Action
            label={t('delete')}
            kind="danger"
            whyNot={UserName === session.value?.user ? t('yourself') : undefined}
            question={t('deleteQuestion', UserName)}
            act={() => send('DELETE', uri).finally(() => reread(all))}
          />
        </Card>
      )}
    </Loaded>
  )
}

function Create() {
  const operation = useOperation()
  const roles = useResource<Expanded<{ readonly Id: string }>>('/redfish/v1/AccountService/Roles/?$expand=.')
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const body = Object.fromEntries(new FormData(form))
    void operation.run(() => send('POST', accounts, body)).then((isDone) => isDone && form.reset())
  }
  return (
    <Card title={t('newAccount')}>
      <form onSubmit={submit}>
        <label>
          {t('user')}
          <input name="UserName" required autocomplete="off" />
        </label>
        <label>
          {t('password')}
          <input name="Password" type="password" required autocomplete="new-password" />
        </label>
        <label>
          {t('role')}
          <select name="RoleId">
            {valueIn(roles)?.Members.map((each) => (
              <option key={each.Id}>{each.Id}</option>
            ))}
          </select>
        </label>
        <Submit label={t('createIt')} busy={operation.busy} kind="primary" />
      </form>
      <Outcome operation={operation} />
    </Card>
  )
}

function Sessions() {
  const known = useResource<Expanded<SessionResource>>(sessions)
  return (
    <Card title={t('sessions')}>
      <Loaded from={known}>
        {({ Members }) => (
          <Table
            caption={t('sessions')}
            head={[t('user'), t('address'), t('since'), t('end')]}
            rows={Members.map((each) => [
              each.UserName ?? '',
              each.ClientOriginIPAddress ?? '',
              when(each.CreatedTime),
              <Action
                key="end"
                label={t('end')}
                own={each.UserName === session.value?.user}
                whyNot={session.value?.uri === each['@odata.id'] ? t('yourself') : undefined}
                question={t('endQuestion', each.UserName ?? '')}
                act={() => send('DELETE', each['@odata.id']).finally(() => reread(sessions))}
              />
            ])}
          />
        )}
      </Loaded>
    </Card>
  )
}
