/** The canonical URI, without a trailing slash, of a subscription or of an open stream. */
export const subscriptionUri = (id: string) => `/redfish/v1/EventService/Subscriptions/${id}`
