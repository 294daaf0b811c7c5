import { managerUri } from '#data/manager'

/** The canonical URI, without a trailing slash: a manager has one license. */
export const licenseUri = (manager: string) => `${managerUri(manager)}/LicenseService/1`
