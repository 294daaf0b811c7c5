import { removeLicense, showLicense } from '#data/license'
import { managerUri } from '#data/manager'
import { references, resource, status, text } from '#data/resource'
import { type Delete, type Get, link, notFound, object } from '#runtime/contract'

const date = { ...text, format: 'date-time' } as const

export const schema = resource('License.v1_1_3', 'A license', {
  AuthorizationScope: { type: 'string', enum: ['Device'], readonly: true },
  EntitlementId: text,
  ExpirationDate: date,
  InstallDate: date,
  LicenseOrigin: { type: 'string', enum: ['Installed'], readonly: true },
  LicenseType: { type: 'string', enum: ['Production'], readonly: true },
  Links: object({ AuthorizedDevices: references }),
  Manufacturer: text,
  Removable: { type: 'boolean', readonly: true },
  SKU: text,
  Status: status
})

export const privileges = { GET: 'LoginPriv', DELETE: 'MgmtConfigPriv' } as const

/** The vendor's resource in the standard's words (DSP0268, License). */
export const GET: Get<typeof schema, 'LicenseId'> = ({ params, state, now }) => {
  const license = state.get('license', params.LicenseId) ?? notFound()
  const { LicenseId, LicenseClass, ExpirationDate, InstallDate, Status } = showLicense(license, now)
  return {
    Name: 'License',
    AuthorizationScope: 'Device',
    EntitlementId: LicenseId,
    ExpirationDate,
    InstallDate,
    LicenseOrigin: 'Installed',
    LicenseType: 'Production',
    Links: { AuthorizedDevices: [link(managerUri(params.LicenseId))] },
    Manufacturer: 'Vendor',
    Removable: true,
    SKU: LicenseClass,
    Status
  }
}

export const DELETE: Delete<'LicenseId'> = ({ params, state }) =>
  removeLicense(params.LicenseId, state.get('license', params.LicenseId) ?? notFound())
