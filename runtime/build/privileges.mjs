/**
 * The privilege registry (DMTF DSP8011), from what each handler file says that its methods need. An entity is a type;
 * its actions, and URIs where it needs other privileges than at its first one, are overrides by URI.
 */
export function privilegeRegistry(routes) {
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
  const oem = [...used].filter((privilege) => standard(privilege) !== privilege).sort()
  return {
    '@odata.type': '#PrivilegeRegistry.v1_1_5.PrivilegeRegistry',
    Id: 'PrivilegeMap',
    Name: 'Privilege map',
    Description: 'The privileges that each operation needs',
    PrivilegesUsed: [...new Set([...used].map(standard))].filter((privilege) => privilege !== 'NoAuth').sort(),
    OEMPrivilegesUsed: oem,
    Mappings: [...mappings.values()].sort((a, b) => (a.Entity < b.Entity ? -1 : 1))
  }
}

const isAction = (template) => template.includes('/Actions/')

/** The type that a URI serves, or whose action it is; undefined for a file. */
function entityOf(template, module) {
  if (isAction(template)) return template.split('/').at(-1).split('.')[0]
  return module.schema?.title?.split('.').at(-1)
}

const override = (before, template, map) => ({
  ResourceURIOverrides: [...before, { Targets: [template], OperationMap: map }]
})

/** For each method the sets of privileges any of which is enough, each with its standard privileges. */
function operationMap(privileges) {
  const needs = Object.entries(privileges).flatMap(([method, requirement]) => {
    const sets = alternatives(requirement).map((set) => ({
      Privilege: [...new Set(set.flatMap((each) => [standard(each), each]))]
    }))
    return method === 'GET'
      ? [
          [method, sets],
          ['HEAD', sets]
        ]
      : [[method, sets]]
  })
  return Object.fromEntries(needs)
}

function alternatives(requirement) {
  if (typeof requirement === 'string') return [[requirement]]
  return Array.isArray(requirement) ? requirement.map((each) => [each]) : [requirement.all]
}

/** The standard privilege whose holders have one of ours. */
function standard(privilege) {
  if (['NoAuth', 'ConfigureSelf'].includes(privilege)) return privilege
  if (privilege === 'LoginPriv') return 'Login'
  if (privilege === 'UserConfigPriv') return 'ConfigureUsers'
  return /^(Host|Virtual|RemoteConsole)/.test(privilege) ? 'ConfigureComponents' : 'ConfigureManager'
}
