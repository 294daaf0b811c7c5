/** @import { HandlerModule, Privileges, Requirement } from '#runtime/contract' */
/** @import { Route } from './handlers.mjs' */

/**
 * For each method the sets of privileges any of which is enough.
 *
 * @typedef {Record<string, { Privilege: string[] }[]>} OperationMap
 */

/**
 * Names of DSP8011.
 *
 * @typedef {object} Mapping
 * @property {string} Entity
 * @property {OperationMap} OperationMap
 * @property {{ Targets: string[], OperationMap: OperationMap }[]} [ResourceURIOverrides]
 */

/**
 * The privilege registry (DMTF DSP8011), from the privileges in the handler files. An entity is a type; its actions,
 * and URIs with other privileges than its first one, are overrides by URI.
 *
 * @param {readonly Route[]} routes
 */
export function privilegeRegistry(routes) {
  /** @type {Map<string, Mapping>} */
  const mappings = new Map()
  for (const { template, module } of routes) {
    const entity = entityOf(template, module)
    if (entity === undefined) continue
    const map = operationMap(module.privileges)
    const mapping = mappings.get(entity)
    if (mapping === undefined && !isAction(template)) mappings.set(entity, { Entity: entity, OperationMap: map })
    else if (mapping === undefined)
      mappings.set(entity, { Entity: entity, OperationMap: {}, ...override([], template, map) })
    else if (isAction(template) || JSON.stringify(mapping.OperationMap) !== JSON.stringify(map)) {
      Object.assign(mapping, override(mapping.ResourceURIOverrides ?? [], template, map))
    }
  }
  const used = new Set(routes.flatMap(({ module }) => Object.values(module.privileges).flatMap(alternatives).flat()))
  const oem = [...used].filter(isOfVendor).sort()
  const standards = [...new Set([...used].map(standard))].filter((each) => each !== 'NoAuth' && !oem.includes(each))
  return {
    '@odata.context': '/redfish/v1/$metadata#PrivilegeRegistry.PrivilegeRegistry',
    '@odata.id': '/redfish/v1/AccountService/PrivilegeMap/',
    '@odata.type': '#PrivilegeRegistry.v1_1_5.PrivilegeRegistry',
    Id: 'PrivilegeMap',
    Name: 'Privilege map',
    Description: 'The privileges that each operation needs',
    PrivilegesUsed: standards.sort(),
    OEMPrivilegesUsed: oem,
    Mappings: [...mappings.values()].sort((a, b) => (a.Entity < b.Entity ? -1 : 1))
  }
}

const isAction = (/** @type {string} */ template) => template.includes('/Actions/')

/**
 * The type that a URI serves, or whose action it is; undefined for a file.
 *
 * @param {string} template
 * @param {HandlerModule} module
 */
function entityOf(template, module) {
  if (isAction(template)) return /([^/.]+)[^/]*$/.exec(template)?.[1]
  return module.schema?.title?.split('.').at(-1)
}

/**
 * @param {NonNullable<Mapping['ResourceURIOverrides']>} before
 * @param {string} template
 * @param {OperationMap} map
 */
const override = (before, template, map) => ({
  ResourceURIOverrides: [...before, { Targets: [template], OperationMap: map }]
})

/**
 * A standard privilege includes privileges of ours, so that either is enough.
 *
 * @param {Privileges} privileges
 * @returns {OperationMap}
 */
function operationMap(privileges) {
  const needs = Object.entries(privileges).flatMap(([method, requirement]) => {
    const sets = alternatives(requirement).flatMap((set) => [set.map(standard), set].map((each) => [...new Set(each)]))
    const distinct = sets.filter((set, index) => sets.findIndex((each) => each.join() === set.join()) === index)
    const allowed = distinct.map((Privilege) => ({ Privilege }))
    return method === 'GET'
      ? [
          [method, allowed],
          ['HEAD', allowed]
        ]
      : [[method, allowed]]
  })
  return Object.fromEntries(needs)
}

/**
 * @param {Requirement} requirement
 * @returns {readonly (readonly string[])[]} sets of which one is enough
 */
function alternatives(requirement) {
  if (typeof requirement === 'string') return [[requirement]]
  return 'all' in requirement ? [requirement.all] : requirement.map((each) => [each])
}

const isOfVendor = (/** @type {string} */ privilege) => !['NoAuth', 'ConfigureSelf'].includes(privilege)

/**
 * The standard privilege that includes one of ours; none includes system recovery.
 *
 * @param {string} privilege
 */
function standard(privilege) {
  if (!isOfVendor(privilege) || privilege === 'SystemRecoveryConfigPriv') return privilege
  if (privilege === 'LoginPriv') return 'Login'
  if (privilege === 'UserConfigPriv') return 'ConfigureUsers'
  return /^(Host|Virtual|RemoteConsole)/.test(privilege) ? 'ConfigureComponents' : 'ConfigureManager'
}
