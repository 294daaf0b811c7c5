import { createHash } from 'node:crypto'
import { type Attribute, type AttributeRegistry, longestValue, type Menu } from '#data/bios'
import type { BoardSystem } from '#data/board'
import type { BiosAttribute } from '#hal/bios.ts'
import { utf8 } from '#runtime/base/bytes.ts'
import { stored } from '#runtime/base/gzip.ts'
import type { Document } from '#runtime/contract'

/** The menu of attributes that are in none: every attribute of a registry has one. */
const ownMenu = ['Main']

/** The attribute registry of what a firmware tells of its attributes. Its `Id` is that in the board file, which has one. */
export function madeRegistry(system: BoardSystem, told: readonly BiosAttribute[]): AttributeRegistry {
  const { attributeRegistry: Id = '', manufacturer = '', model, sku, biosVersion } = system
  const places = new Map<string, number>()
  const attributes = told.map((each) => attributeOf(each, nextIn(places, pathOf(menuOf(each)))))
  return {
    '@odata.type': '#AttributeRegistry.v1_3_8.AttributeRegistry',
    Id,
    Name: `BIOS attribute registry of ${system.name}`,
    Language: 'en',
    OwningEntity: manufacturer,
    RegistryVersion: versionOf(Id),
    Description: 'The settings of this server, as its firmware describes them',
    RegistryEntries: {
      Menus: menusOf(told),
      Attributes: attributes,
      Dependencies: [],
      SupportedSystems: [{ ProductName: model, SystemId: sku, FirmwareVersion: biosVersion }]
    }
  }
}

/** A registry as a file, like those that the build makes. */
export function registryDocument(registry: AttributeRegistry): Document {
  const text = JSON.stringify(registry)
  const tag = `W/"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`
  return { gzip: stored(utf8(JSON.stringify({ '@odata.etag': tag, ...registry }))), tag, changes: true }
}

function attributeOf(told: BiosAttribute, place: number): Attribute {
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

/** Each menu once, after the one that it is in. */
function menusOf(told: readonly BiosAttribute[]): Menu[] {
  const menus = new Map<string, Menu>()
  const places = new Map<string, number>()
  for (const each of told) {
    const names = menuOf(each)
    for (const [depth, name] of names.entries()) {
      const path = pathOf(names.slice(0, depth + 1))
      if (menus.has(path)) continue
      const DisplayOrder = nextIn(places, pathOf(names.slice(0, depth)))
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
  return [...menus.values()]
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
