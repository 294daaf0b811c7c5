/** The canonical URI, without a trailing slash. */
export const taskUri = (id: string) => `/redfish/v1/TaskService/Tasks/${id}`
