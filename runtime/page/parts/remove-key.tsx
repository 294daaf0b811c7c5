import { send } from '../service/client.ts'
import { refreshAll } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Action } from './action.tsx'

/** The target of an action of an account. @param uri of the account */
export const action = (uri: string, name: string) => `${uri}Actions/ManagerAccount.${name}/`

/** Removes the key for one-time codes of an account. Where that is the user's, everything else may be refused then. */
export function RemoveKey({ uri }: { readonly uri: string }) {
  return (
    <Action
      label={t('removeKey')}
      kind="danger"
      question={t('removeKeyQuestion')}
      act={() => send('POST', action(uri, 'ClearSecretKey'), {}).finally(refreshAll)}
    />
  )
}
