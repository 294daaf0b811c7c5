import { installLicense } from '#data/license'
import { collection } from '#data/resource'
import { type Get, members, object, type Post } from '#runtime/contract'

export const schema = collection('VendorMgmtLicense')

export const body = object(['LicenseKey'], { LicenseKey: { type: 'string', minLength: 1, maxLength: 2048 } })

export const privileges = { GET: 'LoginPriv', POST: 'MgmtConfigPriv' } as const

/** There is one member, which says what is licensed, even where that is nothing. */
export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine }) => {
  machine.manager(params.ManagerId)
  return { Name: 'Licenses', ...members(uri, ['1']) }
}

export const POST: Post<typeof body, 'ManagerId'> = (context) => {
  return installLicense(context, context.params.ManagerId, context.body.LicenseKey)
}
