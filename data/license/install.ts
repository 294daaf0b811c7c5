import { type Context, changed, event, type Feature, fail, message, type Outcome, type State } from '#runtime/contract'
import { type License, lasts, licenseClasses, opens } from './license.ts'
import { licenseUri } from './uris.ts'

/**
 * 200 with `LicenseKeyInstalled`: the license takes the place of the one before.
 *
 * @throws MessageError 400 InvalidLicenseKey for one that is cut, changed, of another signer, for another system or over
 */
export function installLicense(
  context: Pick<Context, 'machine' | 'now' | 'readLicense'>,
  manager: string,
  key: string
): Outcome {
  const { machine, now } = context
  const license = context.readLicense(key) ?? fail(400, 'Mgmt.InvalidLicenseKey')
  const { systems } = machine.manager(manager)
  const known = systems.some((id) => machine.board.systems[id]?.serialNumber === license.serial)
  if (!lasts(license, now()) || (license.serial !== null && !known)) fail(400, 'Mgmt.InvalidLicenseKey')
  return {
    status: 200,
    messages: [message('Mgmt.LicenseKeyInstalled')],
    writes: { license: { [manager]: { ...license, installed: Math.floor(now().getTime() / 1000) } } },
    events: [event('MgmtEvents.LicenseInstalled', licenseUri(manager), license.class)]
  }
}

export function removeLicense(manager: string, license: License): Outcome {
  return {
    ...changed({ license: { [manager]: null } }),
    events: [event('MgmtEvents.LicenseRemoved', licenseUri(manager), license.class)]
  }
}

/** A license as resources show it. A key is not shown again, since another machine might take it. */
export function showLicense(license: License, now: () => Date) {
  const lasting = license.expires === null || lasts(license, now())
  return {
    ExpirationDate: license.expires === null ? null : iso(license.expires),
    Features: lasting ? licenseClasses[license.class] : [],
    InstallDate: iso(license.installed ?? license.issued),
    IssueDate: iso(license.issued),
    LicenseClass: license.class,
    LicenseId: license.id,
    LicenseKey: null,
    SerialNumber: license.serial,
    ...(!lasting && { Status: { State: 'Disabled', Health: 'Warning' } as const })
  }
}

const iso = (seconds: number) => new Date(seconds * 1000).toISOString()

/** Whether some license opens a feature. */
export function isLicensed(state: State, feature: Feature, now: Date): boolean {
  return state.keys('license').some((manager) => opens(state.get('license', manager), feature, now))
}
