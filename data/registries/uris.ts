/**
 * Where the files are that describe messages, attributes and types. The vendor's tools leave out what ends in `.json`,
 * also where they look for a schema or for the attributes of a BIOS.
 */
export const registryFileUri = (id: string) => `/redfish/v1/RegistryStore/registries/en/${id}.json`
export const attributeRegistryFileUri = (id: string) => `${registryFileUri(id)}/`
export const schemaFileUri = (id: string) => `/redfish/v1/SchemaStore/en/${id}.json/`
