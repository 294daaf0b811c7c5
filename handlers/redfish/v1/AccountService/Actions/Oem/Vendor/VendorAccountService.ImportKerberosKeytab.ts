import { accountServiceUri, isKeytab } from '#data/accounts'
import { parseDestination } from '#data/events'
import { changed, done, event, fail, object, type Post } from '#runtime/contract'

const action = 'VendorAccountService.ImportKerberosKeytab'

export const body = object({ ImportUri: { type: 'string', format: 'uri' }, Keytab: { type: 'string' } })

export const privileges = { POST: 'UserConfigPriv' } as const

/** The keytab itself, as base64, or the URI to fetch it from. It is sealed and never shown. No login uses it yet. */
export const POST: Post<typeof body> = ({ body, caller, configuration, seal, now }) => {
  const { ImportUri, Keytab } = body
  const events = [event('MgmtEvents.KerberosKeytabImported', accountServiceUri, caller.user)]
  if (ImportUri !== undefined && Keytab !== undefined)
    fail(400, 'Base.ActionParameterNotSupported', 'ImportUri', action)
  if (ImportUri !== undefined) {
    if (parseDestination(ImportUri) === undefined) {
      fail(400, 'Base.ActionParameterValueFormatError', '******', 'ImportUri', action)
    }
    return { ...done([{ kind: 'importKeytab', uri: ImportUri }]), events }
  }
  if (Keytab === undefined) fail(400, 'Base.ActionParameterMissing', action, 'Keytab')
  if (!isKeytab(Keytab, configuration.limits.keytab))
    fail(400, 'Base.ActionParameterValueFormatError', '******', 'Keytab', action)
  return { ...changed({ kerberos: { keytab: { keytab: seal(Keytab), importedAt: now().toISOString() } } }), events }
}
