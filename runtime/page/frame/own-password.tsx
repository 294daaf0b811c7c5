import { Field, FormFields, useForm } from '../parts/form.tsx'
import { Loaded } from '../parts/show.tsx'
import { toast } from '../parts/toast.tsx'
import { partOf } from '../rules/known.ts'
import { session } from '../service/client.ts'
import { useMembers } from '../service/resources.ts'
import type { Account } from '../types.ts'
import { t } from '../words/index.ts'

/** The form for the password of the user; nothing for a user whose account is elsewhere. */
export function Own() {
  const accounts = useMembers<Account>({ '@odata.id': '/redfish/v1/AccountService/Accounts/' })
  const own = partOf(accounts, (all) => all.find(({ UserName }) => UserName === session.value?.user))
  if (own.state === 'absent') return null
  return <Loaded from={own}>{({ '@odata.id': uri }) => <NewPassword uri={uri} />}</Loaded>
}

/** A new password for an account of the user. */
export function NewPassword({ uri, onDone }: { readonly uri: string; readonly onDone?: () => void }) {
  const form = useForm({
    uri,
    stored: { password: '' },
    properties: { password: 'Password' },
    secrets: ['password'],
    check: ({ password }) => ({ password: password === '' ? t('fieldMissing') : undefined }),
    body: ({ password }) => ({ Password: password }),
    onDone() {
      toast(t('passwordChanged'))
      onDone?.()
    }
  })
  return (
    <FormFields form={form} label={t('changePassword')} own>
      <Field form={form} name="password" label={t('newPassword')} />
    </FormFields>
  )
}
