/** The canonical URI, without a trailing slash. */
export const chassisUri = (id: string) => `/redfish/v1/Chassis/${encodeURIComponent(id)}`
