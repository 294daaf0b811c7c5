import { installLicense, licenseClasses, removeLicense, showLicense } from '#data/license'
import { resource, status } from '#data/resource'
import { type Context, changed, type Delete, fail, type Get, list, notFound, type Patch } from '#runtime/contract'

const text = { type: 'string', nullable: true, readonly: true } as const
const date = { ...text, format: 'date-time' } as const

export const schema = resource('VendorMgmtLicense.v1_0_0', 'The license of the controller', {
  ExpirationDate: date,
  Features: list({ type: 'string' }),
  InstallDate: date,
  IssueDate: date,
  LicenseClass: { type: 'string', enum: Object.keys(licenseClasses), nullable: true, readonly: true },
  LicenseId: text,
  LicenseKey: { type: 'string', nullable: true, minLength: 1, maxLength: 2048, readonly: false },
  SerialNumber: text,
  Status: status
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

type Params = 'ManagerId' | 'LicenseId'

export const GET: Get<typeof schema, Params> = (context) => {
  const license = find(context)
  if (license === undefined) {
    return { Name: 'License', Features: [], LicenseClass: null, LicenseKey: null, Status: { State: 'Absent' } }
  }
  return { Name: 'License', ...showLicense(license, context.now) }
}

export const PATCH: Patch<typeof schema, Params> = (context) => {
  find(context)
  const { LicenseKey: key } = context.body
  if (key === undefined) return changed({})
  return installLicense(context, context.params.ManagerId, key ?? fail(400, 'Base.PropertyValueError', 'LicenseKey'))
}

export const DELETE: Delete<Params> = (context) => {
  const license = find(context) ?? fail(409, 'Base.ResourceCannotBeDeleted')
  return removeLicense(context.params.ManagerId, license)
}

function find({ params, machine, state }: Context<Params, unknown>) {
  machine.manager(params.ManagerId)
  return params.LicenseId === '1' ? state.get('license', params.ManagerId) : notFound()
}
