/** Where the files are that describe messages, attributes and types. */
export const registryFileUri = (id: string) => `/redfish/v1/RegistryStore/registries/en/${id}.json`
export const schemaFileUri = (id: string) => `/redfish/v1/SchemaStore/en/${id}.json`
