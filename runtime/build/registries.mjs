/** @import { Document } from './documents.mjs' */
/** @import { Route } from './handlers.mjs' */
import { privilegeRegistry } from './privileges.mjs'

/**
 * The registries as files: the message registries as they are, named by prefix and version; the attribute registries,
 * named by their `Id`, which has the version in it; and `privileges.json`, the privilege registry.
 *
 * @param {readonly Route[]} routes
 * @param {readonly { RegistryPrefix: string, RegistryVersion: string }[]} registries message registries
 * @param {readonly { Id: string }[]} attributeRegistries
 * @returns {Document[]}
 */
export function registryFiles(routes, registries, attributeRegistries) {
  const files = registries.map((registry) => ({
    name: `registries/${registry.RegistryPrefix}.${registry.RegistryVersion}.json`,
    text: registryText('MessageRegistry', registry.RegistryPrefix, registry)
  }))
  const attributes = attributeRegistries.map((registry) => ({
    name: `registries/${registry.Id}.json`,
    text: registryText('AttributeRegistry', registry.Id, registry)
  }))
  return [...files, ...attributes, { name: 'privileges.json', text: JSON.stringify(privilegeRegistry(routes)) }]
}

/**
 * A registry with its control properties (DSP0266 9.5).
 *
 * @param {string} type
 * @param {string} id of its file
 * @param {object} registry
 */
function registryText(type, id, registry) {
  const control = {
    '@odata.context': `/redfish/v1/$metadata#${type}.${type}`,
    '@odata.id': `/redfish/v1/RegistryStore/registries/en/${id}.json`
  }
  return JSON.stringify({ ...control, ...registry })
}
