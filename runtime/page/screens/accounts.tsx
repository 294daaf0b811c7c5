import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Editable } from '../parts/editable.tsx'
import { Field, FormFields, FormPanel, SwitchField, useForm } from '../parts/form.tsx'
import { RemoveKey } from '../parts/remove-key.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { isLoginRule } from '../rules/forms.ts'
import { together } from '../rules/known.ts'
import { send, session } from '../service/client.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Account, AccountService, Expanded, Role } from '../types.ts'
import { labelOf, nameOf, t } from '../words/index.ts'
import { Directories } from './directories.tsx'
import { allRoles, privileges, Roles } from './roles.tsx'

const service = '/redfish/v1/AccountService/'
const accounts = `${service}Accounts/`
const all = `${accounts}?$expand=.`

/** Who may log in, with which role, from which directories, and the rules for passwords. */
export function Accounts() {
  const roles = useResource<Expanded<Role>>(allRoles)
  const known = together(useResource<Expanded<Account>>(all), roles)
  const rules = useResource<AccountService>(service)
  const [edited, edit] = useState<string | undefined>()
  const close = () => edit(undefined)
  return (
    <Loaded from={together(known, rules)}>
      {([[{ Members }, { Members: roles }], of]) => {
        const chosen = Members.find((each) => each['@odata.id'] === edited)
        return (
          <>
            <Card title={t('accounts')}>
              <Table
                caption={t('accounts')}
                tools
                columns={[
                  { head: t('user'), value: ({ UserName }) => UserName },
                  { head: t('role'), value: ({ RoleId }) => labelOf(RoleId) },
                  { head: t('state'), value: stateOf, cell: (each) => <State of={each} /> },
                  { head: t('change'), cell: (each) => <Change of={each} onEdit={() => edit(each['@odata.id'])} /> }
                ]}
                rows={Members}
                keyOf={(each) => each['@odata.id']}
              />
            </Card>
            <Create roles={roles} />
            <Roles roles={roles} />
            <Directories of={of} roles={roles} />
            <Editable
              uri={service}
              from={rules}
              which={isLoginRule}
              frame={(form) => (
                <Card title={t('logins')}>
                  <div class="columns">{form}</div>
                </Card>
              )}
            />
            {chosen && <Edit account={chosen} roles={roles} onClose={close} />}
          </>
        )
      }}
    </Loaded>
  )
}

/** The word for the login state of an account. */
function stateOf({ Enabled, Locked, PasswordChangeRequired }: Account): string {
  if (!Enabled) return t('disabled')
  if (Locked) return t('locked')
  return PasswordChangeRequired ? t('passwordDue') : t('enabled')
}

function State({ of }: { readonly of: Account }) {
  const kind = !of.Enabled ? '' : of.Locked ? 'bad' : of.PasswordChangeRequired ? 'warn' : 'good'
  return <span class={`badge dot ${kind}`}>{stateOf(of)}</span>
}

const isOwn = ({ UserName }: Account) => UserName === session.value?.user

function Change({ of, onEdit }: { readonly of: Account; readonly onEdit: () => void }) {
  const name = of.UserName ?? of.Id
  return (
    <div class="row">
      {of.Locked && (
        <Action
          label={t('unlock')}
          of={name}
          act={() => send('PATCH', of['@odata.id'], { Locked: false }).finally(() => reread(all))}
        />
      )}
      <Action label={t('edit')} of={name} act={async () => onEdit()} />
      <Action
        label={t('delete')}
        of={name}
        kind="danger"
        whyNot={isOwn(of) ? t('yourself') : undefined}
        question={t('deleteQuestion', name)}
        act={() => send('DELETE', of['@odata.id']).finally(() => reread(all))}
      />
    </div>
  )
}

interface PanelProps {
  readonly roles: readonly Role[]
  readonly onClose: () => void
}

const choicesOf = (roles: readonly Role[]) =>
  roles.map(({ Id, Description }) => [Id, [labelOf(Id), Description].filter(Boolean).join(': ')] as const)

/** A new account; its role is the least until another is chosen. */
function Create({ roles }: Pick<PanelProps, 'roles'>) {
  const form = useForm({
    uri: accounts,
    method: 'POST',
    shownBy: all,
    stored: { user: '', password: '', role: 'ReadOnly', due: 'false' },
    properties: { user: 'UserName', password: 'Password', role: 'RoleId', due: 'PasswordChangeRequired' },
    secrets: ['password'],
    check: ({ user, password }) => ({
      user: user.trim() === '' ? t('fieldMissing') : undefined,
      password: password === '' ? t('fieldMissing') : undefined
    }),
    body: ({ user, password, role, due }) => ({
      UserName: user.trim(),
      Password: password,
      RoleId: role,
      PasswordChangeRequired: due === 'true'
    })
  })
  return (
    <Card title={t('newAccount')}>
      <FormFields form={form} label={t('createIt')}>
        <Field form={form} name="user" label={t('user')} />
        <Field form={form} name="password" label={t('password')} />
        <Field form={form} name="role" label={t('role')} choices={choicesOf(roles)} />
        <SwitchField form={form} name="due" label={t('mustChangePassword')} />
      </FormFields>
    </Card>
  )
}

const types = ['Redfish', 'HostConsole', 'VirtualMedia'] as const

/** The members of a list that are on or off, as the texts of a form. */
const flagsOf = <N extends string>(names: readonly N[], isOn: (name: N) => boolean | undefined) =>
  Object.fromEntries(names.map((each) => [each, String(isOn(each) === true)])) as Record<N, string>

/** A time as a field for it has it: in the time zone of the browser, to the minute. */
function localTime(time: string | null | undefined): string {
  if (!time) return ''
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function Edit({ account, roles, onClose }: PanelProps & { readonly account: Account }) {
  const { PasswordExpiration: expiry, AccountTypes, Oem } = account
  const held = Oem?.Vendor?.Privileges ?? {}
  const form = useForm({
    uri: account['@odata.id'],
    shownBy: all,
    stored: {
      user: account.UserName ?? '',
      password: '',
      role: account.RoleId ?? '',
      enabled: String(account.Enabled),
      due: String(account.PasswordChangeRequired),
      exempt: String((account.MFABypass?.BypassTypes ?? []).length > 0),
      expiry: localTime(expiry),
      ...flagsOf(types, (each) => (AccountTypes ?? []).includes(each)),
      ...flagsOf(privileges, (each) => held[each])
    },
    properties: {
      user: 'UserName',
      password: 'Password',
      role: 'RoleId',
      enabled: 'Enabled',
      due: 'PasswordChangeRequired',
      exempt: 'MFABypass/BypassTypes',
      expiry: 'PasswordExpiration',
      ...(Object.fromEntries(types.map((each) => [each, 'AccountTypes'])) as Record<(typeof types)[number], string>),
      ...(Object.fromEntries(privileges.map((each) => [each, `Oem/Vendor/Privileges/${each}`])) as Record<
        (typeof privileges)[number],
        string
      >)
    },
    secrets: ['password'],
    check: ({ user, expiry }) => ({
      user: user.trim() === '' ? t('fieldMissing') : undefined,
      expiry: expiry !== '' && Number.isNaN(new Date(expiry).getTime()) ? t('timeWrong') : undefined
    }),
    body: (entered, { user, password, role, enabled, due, exempt, expiry, ...changed }) => ({
      ...(user !== undefined && { UserName: user.trim() }),
      ...(password !== undefined && { Password: password }),
      ...(role !== undefined && { RoleId: role }),
      ...(enabled !== undefined && { Enabled: enabled === 'true' }),
      ...(due !== undefined && { PasswordChangeRequired: due === 'true' }),
      ...(exempt !== undefined && {
        MFABypass: { BypassTypes: exempt === 'true' ? ['TimeBasedOneTimePassword'] : [] }
      }),
      ...(expiry !== undefined && { PasswordExpiration: expiry === '' ? null : new Date(expiry).toISOString() }),
      // Whoever chooses them means exactly these.
      ...(types.some((each) => changed[each] !== undefined) && {
        AccountTypes: types.filter((each) => entered[each] === 'true'),
        StrictAccountTypes: true
      }),
      ...(privileges.some((each) => changed[each] !== undefined) && {
        Oem: {
          Vendor: {
            Privileges: Object.fromEntries(
              privileges.flatMap((each) => (changed[each] === undefined ? [] : [[each, changed[each] === 'true']]))
            )
          }
        }
      })
    }),
    onDone: onClose
  })
  return (
    <FormPanel form={form} title={account.UserName ?? account.Id} label={t('save')} onClose={onClose}>
      <Field form={form} name="user" label={t('user')} />
      {!isOwn(account) && <Field form={form} name="password" label={t('newPassword')} help={t('passwordKept')} />}
      <Field form={form} name="role" label={t('role')} choices={choicesOf(roles)} />
      <SwitchField form={form} name="enabled" label={nameOf(['Enabled'])} />
      <SwitchField form={form} name="due" label={t('mustChangePassword')} />
      <SwitchField form={form} name="exempt" label={nameOf(['MFABypass', 'BypassTypes'])} />
      {account.SecretKeySet && <RemoveKey uri={account['@odata.id']} />}
      {expiry !== undefined && (
        <Field
          form={form}
          name="expiry"
          kind="datetime-local"
          label={nameOf(['PasswordExpiration'])}
          help={t('neverExpires')}
        />
      )}
      <h3>{nameOf(['AccountTypes'])}</h3>
      {types.map((each) => (
        <SwitchField key={each} form={form} name={each} label={labelOf(each)} />
      ))}
      <h3>{t('singlePrivileges')}</h3>
      {privileges.map((each) => (
        <SwitchField key={each} form={form} name={each} label={labelOf(each)} />
      ))}
    </FormPanel>
  )
}
