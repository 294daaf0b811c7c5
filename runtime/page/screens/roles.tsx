import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormPanel, SwitchField, useForm } from '../parts/form.tsx'
import { Card } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { send } from '../service/client.ts'
import { reread } from '../service/resources.ts'
import type { Role } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

const uri = '/redfish/v1/AccountService/Roles/'

/** The resource with all roles. */
export const allRoles = `${uri}?$expand=.`

/** The privileges of the standard (DSP0266 13.4.2), and the vendor's. */
const assigned = ['Login', 'ConfigureSelf', 'ConfigureComponents', 'ConfigureUsers', 'ConfigureManager'] as const

export const privileges = [
  'LoginPriv',
  'VirtualPowerAndResetPriv',
  'RemoteConsolePriv',
  'VirtualMediaPriv',
  'HostBIOSConfigPriv',
  'HostNICConfigPriv',
  'HostStorageConfigPriv',
  'UserConfigPriv',
  'MgmtConfigPriv',
  'SystemRecoveryConfigPriv'
] as const

type Named = (typeof assigned)[number] | (typeof privileges)[number]

/** The roles, of which custom ones are made, changed and deleted. */
export function Roles({ roles }: { readonly roles: readonly Role[] }) {
  const [edited, edit] = useState<string | undefined>()
  const chosen = roles.find((each) => each['@odata.id'] === edited)
  return (
    <Card title={t('roles')} tools={<Action label={t('newRole')} act={async () => edit('new')} />}>
      <Table
        caption={t('roles')}
        columns={[
          { head: t('role'), value: ({ Id }) => labelOf(Id) },
          { head: t('allows'), value: textOf },
          { head: t('change'), cell: (each) => <Change of={each} onEdit={() => edit(each['@odata.id'])} /> }
        ]}
        rows={roles}
        keyOf={(each) => each['@odata.id']}
      />
      {edited === 'new' && <Edit onClose={() => edit(undefined)} />}
      {chosen && <Edit role={chosen} onClose={() => edit(undefined)} />}
    </Card>
  )
}

/** The rights of a role in words: its description if it is predefined, else its standard and OEM privileges. */
function textOf({ IsPredefined, Description, AssignedPrivileges = [], OemPrivileges = [] }: Role): string {
  if (IsPredefined) return Description ?? ''
  return [...AssignedPrivileges, ...OemPrivileges].map(labelOf).join(', ')
}

function Change({ of, onEdit }: { readonly of: Role; readonly onEdit: () => void }) {
  if (of.IsPredefined) return null
  return (
    <div class="row">
      <Action label={t('edit')} of={of.Id} act={async () => onEdit()} />
      <Action
        label={t('delete')}
        of={of.Id}
        kind="danger"
        question={t('deleteQuestion', of.Id)}
        act={() => send('DELETE', of['@odata.id']).finally(() => reread(allRoles))}
      />
    </div>
  )
}

/** A new role, or the privileges of one. */
function Edit({ role, onClose }: { readonly role?: Role; readonly onClose: () => void }) {
  const held: readonly string[] = [...(role?.AssignedPrivileges ?? ['Login']), ...(role?.OemPrivileges ?? [])]
  const all = [...assigned, ...privileges]
  const flags = Object.fromEntries(all.map((each) => [each, String(held.includes(each))])) as Record<Named, string>
  const names = Object.fromEntries(all.map((each) => [each, each])) as Record<Named, string>
  const form = useForm({
    uri: role?.['@odata.id'] ?? uri,
    method: role === undefined ? 'POST' : 'PATCH',
    shownBy: allRoles,
    stored: { name: role?.Id ?? '', ...flags },
    properties: { name: 'RoleId', ...names },
    check: ({ name }) => ({ name: name.trim() === '' ? t('fieldMissing') : undefined }),
    body: (entered) => ({
      ...(role === undefined && { RoleId: entered.name.trim() }),
      AssignedPrivileges: assigned.filter((each) => entered[each] === 'true'),
      OemPrivileges: privileges.filter((each) => entered[each] === 'true')
    }),
    onDone: onClose
  })
  const switches = (names: readonly Named[]) =>
    names.map((each) => <SwitchField key={each} form={form} name={each} label={labelOf(each)} />)
  return (
    <FormPanel
      form={form}
      title={role?.Id ?? t('newRole')}
      label={t(role === undefined ? 'createIt' : 'save')}
      onClose={onClose}
    >
      {role === undefined && <Field form={form} name="name" label={t('name')} />}
      {switches(assigned)}
      <h3>{t('singlePrivileges')}</h3>
      {switches(privileges)}
    </FormPanel>
  )
}
