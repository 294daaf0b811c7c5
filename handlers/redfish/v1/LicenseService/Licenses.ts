import { installLicense } from '#data/license'
import { collection } from '#data/resource'
import { created, type Get, members, object, type Post } from '#runtime/contract'

export const schema = collection('License')

export const body = object(['LicenseString'], { LicenseString: { type: 'string', minLength: 1, maxLength: 2048 } })

export const privileges = { GET: 'LoginPriv', POST: 'MgmtConfigPriv' } as const

/** Each manager's, if it has one; it has the manager's id. */
export const GET: Get<typeof schema> = ({ uri, state }) => ({
  Name: 'Licenses',
  ...members(uri, state.keys('license'))
})

/** The license is the first manager's. One that takes the place of another is no new resource (DSP0268, LicenseService). */
export const POST: Post<typeof body> = (context) => {
  const [manager = ''] = Object.keys(context.machine.board.managers)
  const installed = installLicense(context, manager, context.body.LicenseString)
  const uri = `${context.uri}/${manager}`
  if (context.state.get('license', manager) !== undefined) return { ...installed, headers: { Location: `${uri}/` } }
  return { ...created(uri, installed.writes ?? {}), events: installed.events ?? [] }
}
