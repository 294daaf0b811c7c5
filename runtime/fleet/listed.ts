import { readFileSync } from 'node:fs'
import { SettingsError } from '#data/configuration'
import type { EquipmentKind, FleetFile, Group, Listed } from '#data/fleet'
import { lineOf, linesOf, parseJson } from '#runtime/command/json.ts'
import { parseAddress } from './addresses.ts'

/** The columns for each device, with their names in tables and in NetBox; the first one that is filled in counts. */
const columns = {
  name: ['name'],
  site: ['site'],
  rack: ['rack'],
  unit: ['unit', 'position'],
  serialNumber: ['serial number', 'serial'],
  assetTag: ['asset tag'],
  address: [
    ...['address', 'oob ip', 'out of band ip', 'primary ip', 'ip address'],
    ...['primary ip4', 'ipv4 address', 'primary ip6', 'ipv6 address']
  ],
  board: ['board'],
  manufacturer: ['manufacturer'],
  model: ['device type', 'type', 'model'],
  role: ['role', 'device role'],
  status: ['status']
} as const

type Column = keyof typeof columns

interface Row {
  readonly line: number
  /** The line of a column, if it differs. */
  readonly lineOf: (head: string) => number
  /** By the heads of the columns, as `headOf` has them. */
  readonly values: ReadonlyMap<string, string>
}

/** States of NetBox in which a device has no controller that answers. */
const absent = /^(planned|offline|inventory|decommissioning)$/i

/** Words of roles; all others are servers. */
const words: readonly (readonly [RegExp, EquipmentKind])[] = [
  [/shelf/i, 'PowerShelf'],
  [/switch/i, 'Switch'],
  [/cooling|\bcdu\b/i, 'CoolingUnit'],
  [/(chassis|rack)[\s-]*manager/i, 'ChassisManager']
]

/**
 * The controllers that a file lists: those of a rack with the same kind and board are a group.
 *
 * @throws SettingsError with the file, the line and the column of the first mistake
 */
export function inventoryGroups(inventory: NonNullable<FleetFile['inventory']>): Group[] {
  const { file, boards = {}, roles = {}, ...common } = inventory
  const { port, ...after } = common
  const rows = read(file).flatMap((row) => {
    const role = cell(row, 'role').text
    const kind = roles[role] ?? words.find(([word]) => word.test(role))?.[1] ?? 'Server'
    return kind === 'None' || absent.test(cell(row, 'status').text) ? [] : [{ row, kind, role }]
  })
  const isReachedElsewhere = common.network !== undefined || common.domain !== undefined
  const hasAddresses = !isReachedElsewhere && rows.some(({ row }) => cell(row, 'address').text !== '')
  const known = new Map<string, number>()
  const racks = new Map<string, readonly string[]>()
  const groups = new Map<string, { readonly group: Omit<Group, 'count'>; readonly listed: Listed[] }>()
  for (const { row, kind, role } of rows) {
    const text = (column: Column) => cell(row, column).text
    const refuse = (column: Column, fault: string): never => {
      const { head } = cell(row, column)
      throw new SettingsError(`${file}:${row.lineOf(head)}: ${head}: ${fault}`)
    }
    const only = (column: Column, value: string) => {
      const key = `${column} ${value}`.toLowerCase()
      const before = known.get(key)
      if (before !== undefined && value !== '') refuse(column, `${text(column)} is also in line ${before}`)
      known.set(key, row.line)
    }
    const [name, serialNumber, assetTag, site] = [text('name'), text('serialNumber'), text('assetTag'), text('site')]
    only('name', name && `${site} ${name}`)
    only('serialNumber', serialNumber)
    const address = hasAddresses ? text('address').replace(/\/\d+$/, '') : ''
    if (hasAddresses && parseAddress(address) === undefined)
      refuse('address', address === '' ? 'it has none, and others have one' : `${address} is not an address`)
    only('address', address)
    const position = text('unit')
    const unit = Math.floor(Number(position))
    if (position !== '' && !(unit > 0)) refuse('unit', `${position} is not a position in a rack`)
    const rack = text('rack') && [site, text('rack')].filter(Boolean).join('/')
    if (rack === '' && kind !== 'Server') refuse('rack', `it has none, and its role, ${role}, is that of a part of one`)
    const names = racks.get(rack) ?? [rack]
    racks.set(rack, names)
    const [manufacturer, model] = [text('manufacturer'), text('model')]
    const board = text('board') || boards[model]
    const isProduct = (board || common.board) === undefined && kind === 'Server'
    const path = `${file}:${row.line}`
    const key = JSON.stringify([rack, kind, board])
    const { listed } = groups.get(key) ?? { listed: [] as Listed[] }
    // If each has a port of its own, those of the other groups follow.
    const reach = groups.size === 0 || isReachedElsewhere || hasAddresses || port === 0 ? common : after
    const place = rack === '' ? {} : { place: { kind, racks: names, each: 1 } }
    if (listed.length === 0)
      groups.set(key, { group: { name: 'inventory', ...reach, ...(board && { board }), path, ...place }, listed })
    const hostName = name.split('.')[0]!.replace(/[^A-Za-z0-9-]+/g, '-')
    listed.push({
      path,
      ...(address !== '' && { address }),
      ...(rack !== '' && position !== '' && { unit }),
      identity: {
        ...(name !== '' && { hostName, systemName: name }),
        ...(serialNumber !== '' && { serialNumber }),
        ...(assetTag !== '' && { assetTag }),
        ...(isProduct && manufacturer !== '' && { manufacturer }),
        ...(isProduct && model !== '' && { model })
      }
    })
  }
  if (groups.size === 0) throw new SettingsError(`${file} lists no controllers`)
  return [...groups.values()].map(({ group: { place, ...group }, listed }) => ({
    ...group,
    ...{ count: listed.length, listed },
    ...(place && { place: { ...place, each: listed.length } })
  }))
}

/** The value of a row in a column, and the head of the column. */
function cell({ values }: Row, column: Column) {
  const filled = columns[column].find((each) => (values.get(each) ?? '') !== '')
  const head = filled ?? columns[column].find((each) => values.has(each)) ?? columns[column][0]
  return { head, text: values.get(head) ?? '' }
}

function read(file: string): Row[] {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
    return /^\s*[[{]/.test(text) ? jsonRows(text) : csvRows(text)
  } catch (error) {
    const { code, message } = error as Error & { readonly code?: string }
    throw new SettingsError(code === undefined ? `${file}: ${message}` : `cannot read ${file}: ${code}`)
  }
}

const headOf = (text: string) => text.toLowerCase().replaceAll(/[\s_-]+/g, ' ')

/** The rows below the head of a table (RFC 4180); spreadsheets separate cells by semicolons or tabs too. */
function csvRows(text: string): Row[] {
  const [separator = ','] = /[,;\t]/.exec(text) ?? []
  const cells = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, 'y')
  const table: { readonly line: number; readonly cells: string[] }[] = []
  let [begun, line] = [1, 1]
  let row: string[] = []
  while (cells.lastIndex < text.length) {
    const [token, quoted, plain = '', end] = cells.exec(text) ?? []
    if (token === undefined) throw new Error(`line ${line} has a quotation mark that is not closed or not doubled`)
    row.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    line += token.split('\n').length - 1
    if (end === separator && cells.lastIndex < text.length) continue
    table.push({ line: begun, cells: row })
    row = []
    begun = line
  }
  const [{ cells: heads } = { cells: [] }, ...rows] = table
  if (!heads.map(headOf).includes('name')) throw new Error('its first line has no column name')
  return rows
    .filter(({ cells }) => cells.some((each) => each !== ''))
    .map(({ line, cells }) => ({
      line,
      lineOf: () => line,
      values: new Map(heads.map((head, index) => [headOf(head), cells[index] ?? '']))
    }))
}

/** In NetBox the manufacturer is that of the device type. */
interface Device {
  readonly device_type?: { readonly manufacturer?: unknown } | null
}

/** The devices of an export of NetBox: a list, or the answer of its API with `results`. */
function jsonRows(text: string): Row[] {
  const given = parseJson(text) as { readonly results?: unknown }
  const path = Array.isArray(given) ? [] : ['results']
  const devices = Array.isArray(given) ? given : given.results
  if (!Array.isArray(devices)) throw new Error('it has no list of devices')
  const lines = linesOf(text, path)
  return devices.map((device: object, index) => ({
    line: lines[index]!,
    lineOf: (head) => lineOf(text, [...path, String(index), head.replaceAll(' ', '_')])!,
    values: new Map([
      ['manufacturer', textOf((device as Device).device_type?.manufacturer)],
      ...Object.entries(device).map(([name, value]): [string, string] => [headOf(name), textOf(value)])
    ])
  }))
}

/** The text of a member: NetBox has objects with an address, a model, a name, or the value of a choice. */
function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value).trim()
  const { address, model, name, value: choice } = (value ?? {}) as Readonly<Record<string, unknown>>
  return String(address ?? model ?? name ?? choice ?? '')
}
