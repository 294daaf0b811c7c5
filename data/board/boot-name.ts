const deviceTypes = [
  'HD',
  'CD',
  'NIC',
  'PCI',
  'RAID',
  'Storage',
  'SATA',
  'NVMe',
  'FD',
  'Shell',
  'App',
  'File',
  'RAMDisk',
  'Generic',
  'Unknown'
] as const

const locations = [
  'Slot',
  'Emb',
  'LOM',
  'FlexLOM',
  'FrontUSB',
  'RearUSB',
  'InternalUSB',
  'Virtual',
  'VirtualUSB',
  'SD',
  'URL'
] as const

const qualifiers = ['IPv4', 'IPv6', 'iSCSI', 'FCoE'] as const

/** The fields of a boot option's structured name: what boots, its location, and the protocol. */
export interface BootName {
  readonly deviceType: (typeof deviceTypes)[number]
  readonly location: (typeof locations)[number]
  /** Number of the slot, bay, controller, NIC or USB port. */
  readonly instance: number
  /** Number of the port, or a count that tells logical units apart. */
  readonly subInstance?: number
  /** Only after a sub-instance. */
  readonly qualifier?: (typeof qualifiers)[number]
}

/**
 * Reads `<DeviceType>.<Location>.<Instance>[.<Sub-instance>[.<Qualifier>]]`, e.g. `NIC.LOM.1.1.IPv4`. Case matters, and
 * numbers are decimal, at most 65,535, without leading zeros: two names are the same device only if they are equal.
 *
 * @returns `undefined` for what breaks the rule
 */
export function parseBootName(text: string): BootName | undefined {
  const sections = text.split('.')
  if (sections.length < 3 || sections.length > 5) return undefined
  const deviceType = oneOf(deviceTypes, sections[0])
  const location = oneOf(locations, sections[1])
  const [instance, subInstance] = sections.slice(2, 4).map(number)
  const qualifier = oneOf(qualifiers, sections[4])
  if (deviceType === undefined || location === undefined || instance === undefined) return undefined
  if (sections.length > 3 && subInstance === undefined) return undefined
  if (sections.length > 4 && qualifier === undefined) return undefined
  return {
    deviceType,
    location,
    instance,
    ...(subInstance !== undefined && { subInstance }),
    ...(qualifier !== undefined && { qualifier })
  }
}

function oneOf<T extends string>(list: readonly T[], text: string | undefined): T | undefined {
  return list.find((each) => each === text)
}

function number(text: string): number | undefined {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 0xffff ? Number(text) : undefined
}
