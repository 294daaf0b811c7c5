/** The canonical URI, without a trailing slash. */
export const managerUri = (id: string) => `/redfish/v1/Managers/${encodeURIComponent(id)}`

/** Likewise. */
export const networkProtocolUri = (manager: string) => `${managerUri(manager)}/NetworkProtocol`
