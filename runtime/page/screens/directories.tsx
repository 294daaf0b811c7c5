import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormPanel, Remarks, SwitchField, useForm } from '../parts/form.tsx'
import { Card } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { toast } from '../parts/toast.tsx'
import { type Mapping, mappingsIn, mappingsOf, textOf } from '../rules/directory.ts'
import { linesIn } from '../rules/forms.ts'
import { send } from '../service/client.ts'
import type { AccountService, Role } from '../types.ts'
import { labelOf, nameOf, t } from '../words/index.ts'

const kinds = ['LDAP', 'ActiveDirectory'] as const

type Kind = (typeof kinds)[number]

type Directory = NonNullable<AccountService[Kind]>

interface Props {
  readonly of: AccountService
  readonly roles: readonly Role[]
}

/** The directories whose users log in without an account, and whether their servers do what logins need. */
export function Directories({ of, roles }: Props) {
  const [edited, edit] = useState<Kind | undefined>()
  const present = kinds.filter((each) => of[each] !== undefined)
  const chosen = edited && of[edited]
  const target = of.Oem?.Vendor?.Actions?.['#VendorAccountService.TestDirectory']?.target
  if (present.length === 0) return null
  return (
    <Card title={t('directories')}>
      <Table
        caption={t('directories')}
        columns={[
          { head: t('name'), value: (kind) => nameOf([kind]) },
          { head: t('state'), value: (kind) => t(of[kind]?.ServiceEnabled ? 'enabled' : 'disabled') },
          { head: nameOf(['ServiceAddresses']), value: (kind) => of[kind]?.ServiceAddresses?.join(', ') },
          {
            head: t('change'),
            cell: (kind) => (
              <div class="row">
                <Action label={t('edit')} of={nameOf([kind])} act={async () => edit(kind)} />
                {target && (
                  <Action
                    label={t('test')}
                    of={nameOf([kind])}
                    act={async () => {
                      await send('POST', target, { Directory: kind })
                      toast(t('directoryAnswers', nameOf([kind])))
                    }}
                  />
                )}
              </div>
            )
          }
        ]}
        rows={present}
        keyOf={(kind) => kind}
      />
      {edited && chosen && (
        <Edit
          uri={of['@odata.id']}
          kind={edited}
          of={chosen}
          roles={roles.map(({ Id }) => Id)}
          onClose={() => edit(undefined)}
        />
      )}
    </Card>
  )
}

interface EditProps {
  readonly uri: string
  readonly kind: Kind
  readonly of: Directory
  readonly roles: readonly string[]
  readonly onClose: () => void
}

/** The settings of a directory. The service says of no password what it is: without a new one it stays. */
function Edit({ uri, kind, of, roles, onClose }: EditProps) {
  const { Authentication: authentication, LDAPService: ldap, RemoteRoleMapping: mappings } = of
  const search = ldap?.SearchSettings
  const form = useForm({
    uri,
    of: kind,
    stored: {
      enabled: String(of.ServiceEnabled === true),
      addresses: (of.ServiceAddresses ?? []).join('\n'),
      name: authentication?.Username ?? '',
      password: '',
      template: of.Oem?.Vendor?.UserBindTemplate ?? '',
      bases: (search?.BaseDistinguishedNames ?? []).join('\n'),
      user: search?.UsernameAttribute ?? '',
      groups: search?.GroupsAttribute ?? '',
      group: search?.GroupNameAttribute ?? '',
      mappings: textOf(mappings ?? [])
    },
    properties: {
      enabled: `${kind}/ServiceEnabled`,
      addresses: `${kind}/ServiceAddresses`,
      name: `${kind}/Authentication/Username`,
      password: `${kind}/Authentication/Password`,
      template: `${kind}/Oem/Vendor/UserBindTemplate`,
      bases: `${kind}/LDAPService/SearchSettings/BaseDistinguishedNames`,
      user: `${kind}/LDAPService/SearchSettings/UsernameAttribute`,
      groups: `${kind}/LDAPService/SearchSettings/GroupsAttribute`,
      group: `${kind}/LDAPService/SearchSettings/GroupNameAttribute`,
      mappings: `${kind}/RemoteRoleMapping`
    },
    secrets: ['password'],
    check: ({ mappings }) => ({
      mappings: mappingsIn(mappings).every(({ name }) => name.trim() !== '') ? undefined : t('fieldMissing')
    }),
    body: (_, { enabled, addresses, name, password, template, bases, user, groups, group, mappings }) => ({
      [kind]: {
        ...(enabled !== undefined && { ServiceEnabled: enabled === 'true' }),
        ...(addresses !== undefined && { ServiceAddresses: linesIn(addresses) }),
        Authentication: {
          ...(name !== undefined && { Username: name.trim() || null }),
          // Without a name there is no password, and none that stays.
          ...(name?.trim() === '' ? { Password: null } : password !== undefined && { Password: password })
        },
        ...(template !== undefined && { Oem: { Vendor: { UserBindTemplate: template.trim() || null } } }),
        LDAPService: {
          SearchSettings: {
            ...(bases !== undefined && { BaseDistinguishedNames: linesIn(bases) }),
            ...(user !== undefined && { UsernameAttribute: user.trim() }),
            ...(groups !== undefined && { GroupsAttribute: groups.trim() }),
            ...(group !== undefined && { GroupNameAttribute: group.trim() })
          }
        },
        ...(mappings !== undefined && { RemoteRoleMapping: mappingsOf(mappings) })
      }
    }),
    onDone: onClose
  })
  const title = nameOf([kind])
  const stored = mappingsIn(form.stored.mappings)
  return (
    <FormPanel form={form} title={title} label={t('save')} onClose={onClose}>
      <SwitchField form={form} name="enabled" label={nameOf(['ServiceEnabled'])} />
      <Field
        form={form}
        name="addresses"
        kind="lines"
        label={nameOf(['ServiceAddresses'])}
        help={nameOf(['ServiceAddresses', 'help'])}
      />
      <Field form={form} name="bases" kind="lines" label={nameOf(['BaseDistinguishedNames'])} help={t('onePerLine')} />
      <Field form={form} name="name" label={nameOf(['Authentication', 'Username'])} />
      <Field
        form={form}
        name="password"
        label={nameOf(['Authentication', 'Password'])}
        help={nameOf(['Authentication', 'Password', 'help'])}
      />
      <Field
        form={form}
        name="template"
        label={nameOf(['UserBindTemplate'])}
        help={nameOf(['UserBindTemplate', 'help'])}
      />
      <Field form={form} name="user" label={nameOf(['UsernameAttribute'])} />
      <Field form={form} name="groups" label={nameOf(['GroupsAttribute'])} />
      <Field form={form} name="group" label={nameOf(['GroupNameAttribute'])} />
      <h3>{nameOf(['RemoteRoleMapping'])}</h3>
      <Mappings
        of={mappingsIn(form.entered.mappings)}
        roles={roles}
        onChange={(next) => form.enter('mappings', JSON.stringify(next))}
      />
      <Remarks
        form={form}
        name="mappings"
        label={nameOf(['RemoteRoleMapping'])}
        shown={stored.map(({ name, role }) => `${name}: ${labelOf(role)}`).join(', ')}
      />
    </FormPanel>
  )
}

interface MappingsProps {
  readonly of: readonly Mapping[]
  readonly roles: readonly string[]
  readonly onChange: (next: readonly Mapping[]) => void
}

/** Which users, and those of which groups, get which role: the first that fits counts. */
function Mappings({ of, roles, onChange }: MappingsProps) {
  const put = (index: number, change: Partial<Mapping>) =>
    onChange(of.map((each, at) => (at === index ? { ...each, ...change } : each)))
  return (
    <>
      {of.map((each, index) => {
        const label = (word: string) => `${word} ${index + 1}`
        return (
          <div class="member" key={index}>
            <select
              aria-label={label(nameOf(['RemoteRoleMapping', 'kind']))}
              value={each.kind}
              onChange={({ currentTarget }) => put(index, { kind: currentTarget.value as Mapping['kind'] })}
            >
              {(['RemoteGroup', 'RemoteUser'] as const).map((kind) => (
                <option key={kind} value={kind} selected={kind === each.kind}>
                  {nameOf([kind])}
                </option>
              ))}
            </select>
            <select
              aria-label={label(t('role'))}
              value={each.role}
              onChange={({ currentTarget }) => put(index, { role: currentTarget.value })}
            >
              {[...new Set([...roles, each.role])].map((role) => (
                <option key={role} value={role} selected={role === each.role}>
                  {labelOf(role)}
                </option>
              ))}
            </select>
            <button
              type="button"
              aria-label={label(t('remove'))}
              onClick={() => onChange(of.filter((_, at) => at !== index))}
            >
              ×
            </button>
            <input
              type="text"
              aria-label={label(t('name'))}
              autocomplete="off"
              value={each.name}
              onInput={({ currentTarget }) => put(index, { name: currentTarget.value })}
            />
          </div>
        )
      })}
      <p>
        <button type="button" onClick={() => onChange([...of, { kind: 'RemoteGroup', name: '', role: 'ReadOnly' }])}>
          {nameOf(['RemoteRoleMapping', 'add'])}
        </button>
      </p>
    </>
  )
}
