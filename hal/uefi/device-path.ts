import { hex, viewOf } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { readGuid } from './guid.ts'
import { readText } from './text.ts'

/** One node of a device path: its data without the header. */
interface Node {
  readonly type: number
  readonly subType: number
  readonly data: Uint8Array
  readonly view: DataView
}

const headerSize = 4
const end = 0x7f
const endEntire = 0xff

/** The nodes of a device path up to its end, the ends of instances among them; undefined when it has no end. */
function nodesOf(bytes: Uint8Array): { nodes: Node[]; length: number } | undefined {
  const nodes: Node[] = []
  let offset = 0
  while (offset + headerSize <= bytes.length) {
    const [type, subType, low, high] = bytes.subarray(offset, offset + headerSize) as unknown as Header
    const length = low | (high << 8)
    if (length < headerSize || offset + length > bytes.length) return undefined
    const data = bytes.subarray(offset + headerSize, offset + length)
    offset += length
    if (type === end && subType === endEntire) return { nodes, length: offset }
    nodes.push({ type, subType, data, view: viewOf(data) })
  }
  return undefined
}

type Header = [type: number, subType: number, lengthLow: number, lengthHigh: number]

/** Offset of the end of the device path that `bytes` begin with; undefined when it has none. */
export function devicePathEnd(bytes: Uint8Array): number | undefined {
  return nodesOf(bytes)?.length
}

/**
 * The text of a device path (UEFI 2.10, 10.6), in the short forms that are for people. Nodes that are not known here
 * are `Path(type,subtype,data)`.
 *
 * @throws {HalError} `EINVAL` for a path without an end
 */
export function devicePathText(bytes: Uint8Array): string {
  const path = nodesOf(bytes)
  if (!path) throw new HalError('EINVAL', 'a device path does not end')
  const instances: string[][] = [[]]
  for (const node of path.nodes) {
    if (node.type === end) instances.push([])
    else instances.at(-1)!.push(nodeText(node))
  }
  return instances.map((instance) => instance.join('/')).join(',')
}

function nodeText(node: Node): string {
  const known = texts[`${node.type}.${node.subType}`]
  if (known && node.data.length >= known.least) return known.text(node)
  return `Path(${node.type},${node.subType}${node.data.length > 0 ? `,${digits(node.data)}` : ''})`
}

interface NodeText {
  /** Bytes that a node of this kind has at least. */
  least: number
  text(node: Node): string
}

/** By type and subtype (UEFI 2.10, 10.3). */
const texts: Readonly<Record<string, NodeText>> = {
  '1.1': { least: 2, text: ({ data }) => `Pci(${number(data[1]!)},${number(data[0]!)})` },
  '1.4': { least: 16, text: vendorText('VenHw') },
  '2.1': { least: 8, text: ({ view }) => acpiText(view.getUint32(0, true), view.getUint32(4, true)) },
  '3.1': {
    least: 4,
    text: ({ data, view }) => `Ata(${number(data[0]!)},${number(data[1]!)},${number(view.getUint16(2, true))})`
  },
  '3.2': {
    least: 4,
    text: ({ view }) => `Scsi(${number(view.getUint16(0, true))},${number(view.getUint16(2, true))})`
  },
  '3.5': { least: 2, text: ({ data }) => `USB(${number(data[0]!)},${number(data[1]!)})` },
  '3.10': { least: 16, text: vendorText('VenMsg') },
  '3.11': { least: 33, text: ({ data }) => `MAC(${digits(data.subarray(0, 6))},${number(data[32]!)})` },
  '3.12': { least: 8, text: ({ data }) => `IPv4(${data.subarray(4, 8).join('.')})` },
  '3.13': { least: 32, text: ({ data }) => `IPv6(${hex(data.subarray(16, 32)).replace(/.{4}(?=.)/g, '$&:')})` },
  '3.18': { least: 6, text: ({ view }) => `Sata(${[0, 2, 4].map((at) => number(view.getUint16(at, true))).join()})` },
  '3.23': { least: 12, text: nvmeText },
  '3.24': { least: 0, text: ({ data }) => `Uri(${[...data].map((byte) => String.fromCharCode(byte)).join('')})` },
  '3.26': { least: 1, text: ({ data }) => `SD(${number(data[0]!)})` },
  '3.29': { least: 1, text: ({ data }) => `eMMC(${number(data[0]!)})` },
  '4.1': { least: 38, text: partitionText },
  '4.2': { least: 20, text: ({ view }) => `CDROM(${number(view.getUint32(0, true))})` },
  '4.3': { least: 16, text: vendorText('VenMedia') },
  '4.4': { least: 2, text: ({ data }) => readText(data, 0, data.length) ?? '' },
  '4.6': { least: 16, text: ({ data }) => `FvFile(${guidText(data)})` },
  '4.7': { least: 16, text: ({ data }) => `Fv(${guidText(data)})` }
}

/** Plug and play identifiers in the compressed form of ACPI: `PNP` and four digits. */
const acpiNames: Readonly<Record<number, string>> = {
  167985616: 'PciRoot',
  168313296: 'PcieRoot',
  100942288: 'Floppy',
  50414032: 'Keyboard',
  83968464: 'Serial',
  67191248: 'ParallelPort'
}

function acpiText(hid: number, uid: number): string {
  const name = acpiNames[hid]
  return name ? `${name}(${number(uid)})` : `Acpi(${number(hid)},${number(uid)})`
}

function vendorText(name: string) {
  return ({ data }: Node) => `${name}(${guidText(data)}${data.length > 16 ? `,${digits(data.subarray(16))}` : ''})`
}

function nvmeText({ data, view }: Node): string {
  const unique = digits(data.slice(4, 12).reverse()).replace(/..(?=.)/g, '$&-')
  return `NVMe(${number(view.getUint32(0, true))},${unique})`
}

function partitionText({ data, view }: Node): string {
  const signature = data.subarray(20, 36)
  const kind = data[37]
  const name =
    kind === 2 ? `GPT,${guidText(signature)}` : kind === 1 ? `MBR,${number(view.getUint32(20, true))}` : `${kind},0`
  const [start, size] = [4, 12].map((at) => `0x${view.getBigUint64(at, true).toString(16).toUpperCase()}`)
  return `HD(${view.getUint32(0, true)},${name},${start},${size})`
}

const guidText = (data: Uint8Array) => readGuid(data).toUpperCase()
const number = (value: number) => `0x${value.toString(16).toUpperCase()}`
const digits = (bytes: Uint8Array) => hex(bytes).toUpperCase()
