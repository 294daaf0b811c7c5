/** The canonical URIs, without a trailing slash. */
export const accountServiceUri = '/redfish/v1/AccountService'
export const accountUri = (user: string) => `${accountServiceUri}/Accounts/${encodeURIComponent(user)}`
export const roleUri = (id: string) => `${accountServiceUri}/Roles/${id}`
export const sessionServiceUri = '/redfish/v1/SessionService'
