import { installLicense, lasts, licenseClasses } from '#data/license'
import { resource, status } from '#data/resource'
import {
  type Context,
  changed,
  type Delete,
  event,
  fail,
  type Get,
  notFound,
  type Patch,
  type Schema
} from '#runtime/contract'

const text = { type: 'string', nullable: true, readonly: true } as const
const date = { ...text, format: 'date-time' } as const

export const schema = {
  title: '#VendorMgmtLicense.v1_0_0.VendorMgmtLicense',
  description: 'The license of the controller',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    ExpirationDate: date,
    Features: { type: 'array', items: { type: 'string' }, readonly: true },
    IssueDate: date,
    LicenseClass: { type: 'string', enum: Object.keys(licenseClasses), nullable: true, readonly: true },
    LicenseId: text,
    LicenseKey: { type: 'string', nullable: true, minLength: 1, maxLength: 2048, readonly: false },
    SerialNumber: text,
    Status: status
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv', DELETE: 'MgmtConfigPriv' } as const

type Params = 'ManagerId' | 'LicenseId'

/** A key is not shown again, since another machine might take it. */
export const GET: Get<typeof schema, Params> = (context) => {
  const license = find(context)
  if (license === undefined) {
    return { Name: 'License', Features: [], LicenseClass: null, LicenseKey: null, Status: { State: 'Absent' } }
  }
  const lasting = license.expires === null || lasts(license, context.now())
  return {
    Name: 'License',
    ExpirationDate: license.expires === null ? null : iso(license.expires),
    Features: lasting ? licenseClasses[license.class] : [],
    IssueDate: iso(license.issued),
    LicenseClass: license.class,
    LicenseId: license.id,
    LicenseKey: null,
    SerialNumber: license.serial,
    Status: lasting ? { State: 'Enabled', Health: 'OK' } : { State: 'Disabled', Health: 'Warning' }
  }
}

export const PATCH: Patch<typeof schema, Params> = (context) => {
  find(context)
  const { LicenseKey: key } = context.body
  if (key === undefined) return changed({})
  return installLicense(context, key ?? fail(400, 'Base.PropertyValueError', 'LicenseKey'))
}

export const DELETE: Delete<Params> = (context) => {
  const license = find(context) ?? fail(409, 'Base.ResourceCannotBeDeleted')
  const { params, uri } = context
  return {
    ...changed({ license: { [params.ManagerId]: null } }),
    events: [event('MgmtEvents.LicenseRemoved', uri, license.class)]
  }
}

function find({ params, machine, state }: Context<Params, unknown>) {
  machine.manager(params.ManagerId)
  return params.LicenseId === '1' ? state.get('license', params.ManagerId) : notFound()
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
