import { createHash } from 'node:crypto'
import { type Attribute, longestValue, type Menu } from '#data/bios'
import type { BoardSystem } from '#data/board'
import type { BiosAttribute } from '#hal/bios.ts'
import { utf8 } from '#runtime/base/bytes.ts'
import { stored } from '#runtime/base/gzip.ts'
import type { Document } from '#runtime/contract'

/** The menu of attributes that are in none: every attribute of a registry has one. */
const ownMenu = ['Main']

/**
 * The attribute registry for the attributes that a firmware reports, as a file like those that the build makes. Its
 * `Id` is that in the board file, which has one. It is written attribute by attribute: with thousands of attributes, a
 * single object would take ten times the memory.
 */
export function madeRegistry(system: BoardSystem, told: Iterable<BiosAttribute>): Document {
  const menus = new Map<string, Menu>()
  const places = new Map<string, number>()
  const attributes: string[] = []
  for (const each of told) {
    addMenus(menus, menuOf(each), places)
    attributes.push(JSON.stringify(attributeOf(each, nextIn(places, pathOf(menuOf(each))))))
  }
  const digest = createHash('sha256').update(JSON.stringify(system))
  for (const each of attributes) digest.update(each)
  const tag = `W/"${digest.digest('hex').slice(0, 16)}"`
  const { attributeRegistry: Id = '', manufacturer = '', model, sku, biosVersion } = system
  const head = {
    '@odata.etag': tag,
    '@odata.context': '/redfish/v1/$metadata#AttributeRegistry.AttributeRegistry',
    '@odata.id': `/redfish/v1/RegistryStore/registries/en/${Id}.json`,
    '@odata.type': '#AttributeRegistry.v1_3_8.AttributeRegistry',
    Id,
    Name: `BIOS attribute registry of ${system.name}`,
    Language: 'en',
    OwningEntity: manufacturer,
    RegistryVersion: versionOf(Id),
    Description: 'The settings of this server, as its firmware describes them'
  }
  const systems = [{ ProductName: model, SystemId: sku, FirmwareVersion: biosVersion }]
  const entries = [
    `"Menus":${JSON.stringify([...menus.values()])}`,
    `"Attributes":[${attributes.join()}]`,
    `"Dependencies":[],"SupportedSystems":${JSON.stringify(systems)}`
  ]
  const text = `${JSON.stringify(head).slice(0, -1)},"RegistryEntries":{${entries.join()}}}\n`
  return { gzip: stored(utf8(text)), tag, changes: true }
}

/** An attribute in a registry. @param place in its menu */
export function attributeOf(told: BiosAttribute, place: number): Attribute {
  const { name, type, isReadOnly, displayName, description, standard, options } = told
  return {
    AttributeName: name,
    Type: type,
    DisplayName: displayName,
    HelpText: description,
    MenuPath: pathOf(menuOf(told)),
    DisplayOrder: place,
    DefaultValue: standard,
    // Bios.ChangePassword sets passwords.
    ReadOnly: isReadOnly || type === 'Password',
    GrayOut: false,
    ...(type === 'Enumeration' && {
      Value: options.map((each) => ({ ValueName: each.value, ValueDisplayName: each.displayName }))
    }),
    ...boundsOf(told)
  }
}

function boundsOf({ type, least, most, step }: BiosAttribute): Partial<Attribute> {
  if (type === 'Integer')
    return {
      ...(least !== undefined && { LowerBound: least }),
      ...(most !== undefined && { UpperBound: most }),
      ...(step !== undefined && step > 0 && { ScalarIncrement: step })
    }
  if (type !== 'String' && type !== 'Password') return {}
  const MaxLength = Math.min(Math.max(0, most ?? longestValue), longestValue)
  return { MinLength: Math.min(Math.max(0, least ?? 0), MaxLength), MaxLength }
}

/** Adds a menu after the one that it is in, unless it is there. */
function addMenus(menus: Map<string, Menu>, names: readonly string[], places: Map<string, number>): void {
  for (const [depth, name] of names.entries()) {
    const path = pathOf(names.slice(0, depth + 1))
    if (menus.has(path)) continue
    // Beside the places of attributes.
    const DisplayOrder = nextIn(places, `menus of ${pathOf(names.slice(0, depth))}`)
    menus.set(path, {
      MenuName: name,
      DisplayName: name,
      DisplayOrder,
      ReadOnly: false,
      GrayOut: false,
      MenuPath: path
    })
  }
}

const menuOf = ({ menu }: BiosAttribute) => (menu.length === 0 ? ownMenu : menu)

const pathOf = (menu: readonly string[]) => `./${menu.join('/')}`

/** The next place in a menu, from 1 on. */
function nextIn(places: Map<string, number>, path: string): number {
  const place = (places.get(path) ?? 0) + 1
  places.set(path, place)
  return place
}

/** `1.0.0` of `BiosAttributeRegistry.v1_0_0`. */
function versionOf(id: string): string {
  const [, ...numbers] = /\.v(\d+)_(\d+)_(\d+)$/.exec(id) ?? []
  return numbers.length === 0 ? '1.0.0' : numbers.join('.')
}
