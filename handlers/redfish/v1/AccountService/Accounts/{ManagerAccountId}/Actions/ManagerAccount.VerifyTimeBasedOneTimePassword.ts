import { accountOwner, accountUri, ownAccount, recoveryCode, typedCode, useUp } from '#data/accounts'
import { changed, event, fail, object, type Post } from '#runtime/contract'

export const body = object(['TimeBasedOneTimePassword'], {
  TimeBasedOneTimePassword: { type: 'string', minLength: 1, maxLength: 64 }
})

export const privileges = { POST: ['UserConfigPriv', 'ConfigureSelf'] } as const

export const owner = accountOwner

/**
 * The first code of a new key has the key take effect. The answer then has recovery codes, shown this once; earlier ones
 * are void.
 */
export const POST: Post<typeof body, 'ManagerAccountId'> = async (context) => {
  const { params, body, caller, state, configuration, credentials, random } = context
  const id = params.ManagerAccountId
  const account = ownAccount(context)
  const { key = '', pending = '' } = state.get('secondFactor', id) ?? {}
  if (key === '' && pending === '') fail(409, 'Base.GenerateSecretKeyRequired', `${accountUri(id)}/`)
  const of = pending === '' ? 'key' : 'pending'
  const used = await credentials.verifyCode(body.TimeBasedOneTimePassword, of)
  if (of === 'key') return changed(useUp(state, id, used))
  const codes = Array.from({ length: configuration.secondFactor.recoveryCodes }, () => recoveryCode(random(10)))
  const recoveryCodes = codes.map((code) => credentials.digest(typedCode(code)))
  const proved = { secondFactor: used.kind }
  return {
    ...changed({
      secondFactor: { [id]: { key: pending, pending: '', recoveryCodes } },
      oneTimeCode: { [id]: { step: 'step' in used ? used.step : 0 } },
      ...(caller.session !== undefined && { session: { [caller.session]: proved } })
    }),
    events: [event('MgmtEvents.SecretKeySet', accountUri(id), account.name)],
    result: { Oem: { Vendor: { RecoveryCodes: codes } } }
  }
}
