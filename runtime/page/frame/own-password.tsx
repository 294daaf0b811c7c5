import { Field, FormFields, useForm } from '../parts/form.tsx'
import { Loaded } from '../parts/show.tsx'
import { partOf } from '../rules/known.ts'
import { session } from '../service/client.ts'
import { useMembers } from '../service/resources.ts'
import type { Account } from '../types.ts'
import { t } from '../words/index.ts'

interface Props {
  readonly onClose: () => void
  readonly onDone: () => void
}

/** The form for the password of the user. */
export function Own(props: Props) {
  const accounts = useMembers<Account>({ '@odata.id': '/redfish/v1/AccountService/Accounts/' })
  const own = partOf(accounts, (all) => all.find(({ UserName }) => UserName === session.value?.user))
  return <Loaded from={own}>{({ '@odata.id': uri }) => <Change uri={uri} {...props} />}</Loaded>
}

function Change({ uri, onClose, onDone }: Props & { readonly uri: string }) {
  const form = useForm({
    uri,
    stored: { password: '', again: '' },
    properties: { password: 'Password', again: '' },
    secrets: ['password', 'again'],
    check: ({ password, again }) => ({
      password: password === '' ? t('fieldMissing') : undefined,
      again: password === again ? undefined : t('passwordsDiffer')
    }),
    body: ({ password }) => ({ Password: password }),
    onDone
  })
  return (
    <>
      <FormFields form={form} label={t('save')} own>
        <Field form={form} name="password" label={t('newPassword')} />
        <Field form={form} name="again" label={t('passwordAgain')} />
      </FormFields>
      <button type="button" class="plain-look" onClick={onClose}>
        {t('cancel')}
      </button>
    </>
  )
}
