/** The canonical URIs, without a trailing slash. */
export const accountServiceUri = '/redfish/v1/AccountService'
/** @param id of the account */
export const accountUri = (id: string) => `${accountServiceUri}/Accounts/${encodeURIComponent(id)}`
export const roleUri = (id: string) => `${accountServiceUri}/Roles/${id}`
export const sessionServiceUri = '/redfish/v1/SessionService'
