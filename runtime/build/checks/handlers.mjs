/** Checks the files of `handlers/` against their contract, `runtime/contract/handler-file.ts`. */
/** @import { Requirement } from '#runtime/contract' */
/** @import { Handler } from '../handlers.mjs' */
/** @import { Sources } from '../sources.mjs' */
/** @import { AnyProperty } from '../types.mjs' */
import { posix } from 'node:path'
import { typesIn } from '../types.mjs'
import { mistake, nearest, shown } from './mistakes.mjs'
import { copyingFunctions, usedParameters } from './source.mjs'

/**
 * The mistakes of handler files, a line each.
 *
 * @param {readonly Handler[]} handlers
 * @param {Pick<Sources, 'contract'>} sources
 */
export function handlerMistakes(handlers, { contract }) {
  const byTemplate = new Map(handlers.map((handler) => [handler.template, handler]))
  return [
    ...handlers.flatMap((handler) => [
      ...exportMistakes(handler, contract),
      ...privilegeMistakes(handler, contract),
      ...titleMistakes(handler, byTemplate),
      ...parameterMistakes(handler, contract),
      ...contextMistakes(handler, contract),
      ...actionMistakes(handler, byTemplate),
      ...offerMistakes(handler, byTemplate)
    ]),
    ...typeMistakes(handlers)
  ]
}

/**
 * @param {Handler} handler
 * @param {Sources['contract']} contract
 */
function exportMistakes({ file, module }, { handlerExports }) {
  return Object.entries(module).flatMap(([name, value]) => {
    const wanted = /** @type {Record<string, string>} */ (handlerExports)[name]
    if (wanted === undefined)
      return [mistake(file, `a handler does not export ${name}`, nearest(name, Object.keys(handlerExports)))]
    if (typeof value === wanted) return []
    return [mistake(file, `${name} is of the type ${typeof value}`, `export a value of the type ${wanted}`)]
  })
}

/**
 * @param {Handler} handler
 * @param {Sources['contract']} contract
 */
function privilegeMistakes({ file, module }, { methods, features, vendorPrivileges }) {
  const exported = methods.filter((method) => module[method] !== undefined)
  if (exported.length === 0) return [mistake(file, 'exports no method', `export one of ${methods.join(', ')}`)]
  const { privileges, license = {} } = module
  if (privileges === undefined) {
    const needs = exported.map((method) => `${method}: 'LoginPriv'`).join(', ')
    return [mistake(file, 'exports no privileges', `write export const privileges = { ${needs} } as const`)]
  }
  const strangers = Object.entries({ privileges, license }).flatMap(([name, needs]) =>
    Object.keys(needs)
      .filter((method) => !exported.some((each) => each === method))
      .map((method) => {
        const instead = methods.some((each) => each === method) ? 'export it, or remove it' : nearest(method, exported)
        return mistake(file, `${name} names ${method}, which the file does not export`, instead)
      })
  )
  const missing = exported
    .filter((method) => privileges[method] === undefined)
    .map((method) =>
      mistake(file, `${method} has no privilege`, `add ${method}: 'MgmtConfigPriv' or another to privileges`)
    )
  const unknown = Object.entries(privileges).flatMap(([method, requirement]) =>
    named(requirement)
      .filter((each) => !alone(requirement, vendorPrivileges).includes(each))
      .map((each) =>
        mistake(
          file,
          `${method} needs the unknown privilege ${each}`,
          nearest(each, alone(requirement, vendorPrivileges))
        )
      )
  )
  const unlicensed = Object.entries(license)
    .filter(([, feature]) => !features.includes(feature))
    .map(([method, feature]) =>
      mistake(file, `${method} needs the unknown feature ${feature}`, nearest(feature, features))
    )
  return [...strangers, ...missing, ...unknown, ...unlicensed]
}

/**
 * @param {Requirement} requirement
 * @returns {readonly string[]}
 */
function named(requirement) {
  if (typeof requirement === 'string') return [requirement]
  return 'all' in requirement ? requirement.all : requirement
}

/**
 * The privileges that a requirement may name.
 *
 * @param {Requirement} requirement
 * @param {readonly string[]} privileges
 */
function alone(requirement, privileges) {
  if (typeof requirement === 'string') return [...privileges, 'NoAuth']
  return 'all' in requirement ? privileges : [...privileges, 'ConfigureSelf']
}

/**
 * @param {Handler} handler
 * @param {ReadonlyMap<string, Handler>} byTemplate
 */
function titleMistakes({ file, template, module: { schema, plain, sends } }, byTemplate) {
  const type = expectedType(template, byTemplate)
  const [collection] = /.+(?=Collection$)/.exec(type) ?? []
  const instead = collection === undefined ? `resource('${type}.v1_0_0', …)` : `collection('${collection}')`
  const titles = [schema, sends].flatMap((each) => (each ? typesIn(each).map(({ title }) => title) : []))
  const malformed = titles.filter((each) => typeOf(each) === '')
  if (malformed.length > 0)
    return malformed.map((each) => mistake(file, `the title ${each} is malformed`, `write ${instead} or the like`))
  if (schema !== undefined && schema.title === undefined && !plain)
    return [mistake(file, 'schema has no title', `write ${instead} or the like, or export const plain = true`)]
  if (schema?.title === undefined || isNamed(typeOf(schema.title), type)) return []
  return [mistake(file, `the title ${schema.title} does not match the file`, `write ${instead} or the like`)]
}

/**
 * The type that a title names, `Chassis` of `#Chassis.v1_22_0.Chassis`; empty if it is malformed.
 *
 * @param {string} title
 */
function typeOf(title) {
  const [, namespace, version, name = ''] = /^#(\w+?)(\.v\d+_\d+_\d+)?\.(\w+)$/.exec(title) ?? []
  const isVersioned = version !== undefined || name.endsWith('Collection')
  return namespace === name && isVersioned ? name : ''
}

/**
 * The type that a file should have, or the end of its name: that of an `Id` in braces, of the members of the
 * collection, of the current settings, or else the name of the file.
 *
 * @param {string} template
 * @param {ReadonlyMap<string, Handler>} byTemplate
 */
function expectedType(template, byTemplate) {
  const typeAt = (/** @type {string} */ place) => typeOf(byTemplate.get(place)?.module.schema?.title ?? '')
  const [folder, name] = [posix.dirname(template), posix.basename(template)]
  const [, resource] = /^\{(\w+)Id\}$/.exec(name) ?? []
  if (template === '/redfish/v1') return 'ServiceRoot'
  if (resource !== undefined) return resource
  if (name.startsWith('{')) return typeAt(folder).replace(/Collection$/, '')
  if (name === 'Settings') return typeAt(folder)
  const member = [...byTemplate.keys()].find((each) => /\/\{\w+\}$/.test(each) && posix.dirname(each) === template)
  return member === undefined ? name : `${typeAt(member)}Collection`
}

/**
 * Whether a type has the name of its file, or the words of it in their order, maybe abbreviated.
 *
 * @param {string} type
 * @param {string} name
 */
function isNamed(type, name) {
  /** @type {(text: string) => string[]} */
  const words = (text) => text.match(/[A-Z]+[a-z0-9]*/g) ?? [text]
  let rest = words(type)
  const isIn = (/** @type {string} */ word) => {
    const at = rest.findIndex((each) => word.startsWith(each))
    rest = rest.slice(at + 1)
    return at >= 0
  }
  return type.endsWith(name) || words(name).every(isIn)
}

/**
 * @param {Handler} handler
 * @param {Sources['contract']} contract
 */
function parameterMistakes({ file, template, module }, { methods }) {
  const isUsed = usedParameters(
    file,
    methods.filter((method) => module[method] !== undefined)
  )
  return [...template.matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !isUsed(name))
    .map((name) =>
      mistake(
        file,
        `no method uses ${name}, so any value is found`,
        `look up params.${name}, and answer 404 if it is unknown`
      )
    )
}

/**
 * @param {Handler} handler
 * @param {Sources['contract']} contract
 */
function contextMistakes({ file, module }, { methods }) {
  const exported = methods.filter((method) => module[method] !== undefined)
  return copyingFunctions(file, exported).map((method) =>
    mistake(
      file,
      `${method} copies its context, which has no members of services then`,
      'name what it reads, or use withBody'
    )
  )
}

/**
 * @param {Handler} handler
 * @param {ReadonlyMap<string, Handler>} byTemplate
 */
function actionMistakes({ file, template }, byTemplate) {
  const [, resource, name] = /^(.+)\/Actions\/(?:.+\/)?([^/]+)$/.exec(template) ?? []
  if (resource === undefined) return []
  const owner = byTemplate.get(resource)
  if (owner === undefined)
    return [
      mistake(file, 'the action has no resource', `add ${shown(file).split('/Actions/')[0]}.ts, or move the action`)
    ]
  if (offered(owner.module.schema).includes(`#${name}`)) return []
  return [mistake(file, `${shown(owner.file)} does not offer the action`, `add '#${name}' to Actions in its schema`)]
}

/**
 * Actions that a resource offers, and no file handles.
 *
 * @param {Handler} handler
 * @param {ReadonlyMap<string, Handler>} byTemplate
 */
function offerMistakes({ file, module }, byTemplate) {
  return offered(module.schema)
    .map((name) => name.slice(1))
    .filter((name) => ![...byTemplate.keys()].some((each) => each.includes('/Actions/') && each.endsWith(`/${name}`)))
    .map((name) => mistake(file, `no file handles the action ${name}`, `add Actions/${name}.ts, or do not offer it`))
}

/**
 * The actions in a schema, `#Chassis.Reset` and so on.
 *
 * @param {AnyProperty | undefined} schema
 * @returns {string[]}
 */
function offered(schema) {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, each]) => [
    ...(name.startsWith('#') ? [name] : []),
    ...offered(each)
  ])
}

/**
 * A type, or an action, that two files declare differently.
 *
 * @param {readonly Handler[]} handlers
 */
function typeMistakes(handlers) {
  /** @type {Map<string, { file: string, text: string }>} */
  const known = new Map()
  return handlers.flatMap(({ file, template, module: { schema, sends, body } }) => {
    const [action] = /(?<=\/Actions\/(?:.*\/)?)[^/]+$/.exec(template) ?? []
    const types = [schema, sends].flatMap((each) => (each === undefined ? [] : typesIn(each)))
    const declared = types.map((type) => ({ name: typeOf(type.title) || type.title, text: JSON.stringify(type) }))
    if (action !== undefined) declared.push({ name: action, text: JSON.stringify(body) ?? '' })
    return declared.flatMap(({ name, text }) => {
      const before = known.get(name) ?? { file, text }
      known.set(name, before)
      if (before.text === text) return []
      const problem = `declares ${name} otherwise than ${shown(before.file)}`
      return [mistake(file, problem, 'declare it once in data/<noun>, and export that from both')]
    })
  })
}
