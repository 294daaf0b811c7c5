/** The canonical URI, without a trailing slash. */
export const systemUri = (id: string) => `/redfish/v1/Systems/${encodeURIComponent(id)}`
