import { type Context, event, type Feature, fail, message, type Outcome, type State } from '#runtime/contract'
import { lasts, opens } from './license.ts'
import { licenseUri } from './uris.ts'

/**
 * 200 with `LicenseKeyInstalled`: the license takes the place of the one before.
 *
 * @throws MessageError 400 InvalidLicenseKey for one that is cut, changed, of another signer, for another system or over
 */
export function installLicense(context: Context<'ManagerId', unknown>, key: string): Outcome {
  const { params, machine, now } = context
  const license = context.readLicense(key) ?? fail(400, 'Mgmt.InvalidLicenseKey')
  const { systems } = machine.manager(params.ManagerId)
  const known = systems.some((id) => machine.board.systems[id]?.serialNumber === license.serial)
  if (!lasts(license, now()) || (license.serial !== null && !known)) fail(400, 'Mgmt.InvalidLicenseKey')
  return {
    status: 200,
    messages: [message('Mgmt.LicenseKeyInstalled')],
    writes: { license: { [params.ManagerId]: license } },
    events: [event('MgmtEvents.LicenseInstalled', licenseUri(params.ManagerId), license.class)]
  }
}

/** Whether some license opens a feature. */
export function isLicensed(state: State, feature: Feature, now: Date): boolean {
  return state.keys('license').some((manager) => opens(state.get('license', manager), feature, now))
}
