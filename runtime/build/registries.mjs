/** @import { Plugin } from 'esbuild' */
/** @import { Words } from './brand.mjs' */
/** @import { Document } from './documents.mjs' */
/** @import { Route } from './handlers.mjs' */
import { readFileSync } from 'node:fs'
import { applyBrand } from './brand.mjs'
import { privilegeRegistry } from './privileges.mjs'

/**
 * The registries as files: the message registries as they are, named by prefix and version; the attribute registries,
 * named by their `Id`, which has the version in it; and `privileges.json`, the privilege registry.
 *
 * @param {readonly Route[]} routes
 * @param {readonly { RegistryPrefix: string, RegistryVersion: string }[]} registries message registries
 * @param {readonly { Id: string }[]} attributeRegistries
 * @param {Readonly<Record<string, { versions: Readonly<Record<string, string>> }>>} profiles whose messages may name newer
 *   versions of message registries: each of these has a file of its own
 * @returns {Document[]}
 */
export function registryFiles(routes, registries, attributeRegistries, profiles = {}) {
  const files = registries.map((registry) => ({
    name: `registries/${registry.RegistryPrefix}.${registry.RegistryVersion}.json`,
    text: registryText('MessageRegistry', registry.RegistryPrefix, registry)
  }))
  const attributes = attributeRegistries.map((registry) => ({
    name: `registries/${registry.Id}.json`,
    text: registryText('AttributeRegistry', registry.Id, registry)
  }))
  const others = Object.entries(profiles).flatMap(([profile, { versions }]) =>
    registries.flatMap((registry) => {
      const RegistryVersion = `${versions[registry.RegistryPrefix]}.0`
      if (!(Number(RegistryVersion.split('.')[1]) > Number(registry.RegistryVersion.split('.')[1]))) return []
      const name = `${registry.RegistryPrefix}.${RegistryVersion}`
      const text = registryText('MessageRegistry', registry.RegistryPrefix, { ...registry, Id: name, RegistryVersion })
      return [{ name: `registries/${profile}/${name}.json`, text }]
    })
  )
  return [
    ...files,
    ...others,
    ...attributes,
    { name: 'privileges.json', text: `${JSON.stringify(privilegeRegistry(routes))}\n` }
  ]
}

/**
 * Leaves out of the message registries in a bundle what only their documents need, which are files of their own: it would
 * be in memory for as long as the service runs.
 *
 * @param {Words} words
 * @returns {Plugin}
 */
export function shortRegistries(words) {
  return {
    name: 'short registries',
    setup({ onLoad }) {
      onLoad({ filter: /[/\\]registries[/\\][\w-]+\.json$/ }, ({ path }) => {
        const { RegistryVersion, Messages } = JSON.parse(applyBrand(readFileSync(path, 'utf8'), words))
        const used = Object.entries(Messages).map(([key, { Message, MessageSeverity, Severity, Resolution }]) => [
          key,
          { Message, MessageSeverity, Severity, Resolution }
        ])
        const contents = JSON.stringify({ RegistryVersion, Messages: Object.fromEntries(used) })
        return { contents, loader: 'json' }
      })
    }
  }
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
  return `${JSON.stringify({ ...control, ...registry })}\n`
}
