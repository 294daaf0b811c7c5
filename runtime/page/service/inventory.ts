import { isPresent, type Part, type PartResource, partFrom } from '../rules/inventory.ts'
import { absent, type Known, partOf } from '../rules/known.ts'
import { sizeText } from '../rules/size.ts'
import type {
  Assembly,
  Battery,
  Drive,
  Expanded,
  Fan,
  MemoryModule,
  NetworkAdapter,
  PcieDevice,
  Port,
  PowerSupply,
  Processor,
  Storage,
  StorageController,
  TrustedComponent,
  Volume
} from '../types.ts'
import { labelOf, locale, quantity, type Word } from '../words/index.ts'
import { useChassis, useSystem } from './machine.ts'
import { useResource } from './resources.ts'

/** Parts of one kind. */
export interface Group {
  readonly word: Word
  /** How deep it is in the tree: 0 for the chassis and the system, 1 for what they contain, and so on. */
  readonly level: 0 | 1 | 2
  readonly parts: Known<readonly Part[]>
}

interface Link {
  readonly '@odata.id': string
}

/** A subsystem of drives, with all below it. */
type StorageTree = Omit<Storage, 'Drives' | 'Volumes' | 'Controllers'> & {
  readonly Drives?: readonly Drive[]
  readonly Volumes?: Expanded<Volume>
  readonly Controllers?: Expanded<StorageController>
}

type AdapterTree = Omit<NetworkAdapter, 'Ports'> & { readonly Ports?: Expanded<Port> }

/** All parts of the machine that is shown, as a tree whose groups follow each other. Each collection is read once. */
export function useInventory(): readonly Group[] {
  const chassis = useChassis()
  const system = useSystem()
  const boards = useResource<Assembly>(partOf(chassis, (of) => of.Assembly?.['@odata.id']))
  const power = useSubordinates<{
    readonly PowerSupplies?: Expanded<PowerSupply>
    readonly Batteries?: Expanded<Battery>
  }>(
    partOf(chassis, (of) => of.PowerSubsystem),
    2
  )
  const cooling = useSubordinates<{ readonly Fans?: Expanded<Fan> }>(
    partOf(chassis, (of) => of.ThermalSubsystem),
    2
  )
  const cards = useSubordinates<Expanded<PcieDevice>>(partOf(chassis, (of) => of.PCIeDevices))
  const adapters = useSubordinates<Expanded<AdapterTree>>(
    partOf(chassis, (of) => of.NetworkAdapters),
    3
  )
  const trusted = useSubordinates<Expanded<TrustedComponent>>(partOf(chassis, (of) => of.TrustedComponents))
  const processors = useSubordinates<Expanded<Processor>>(partOf(system, (of) => of.Processors))
  const memory = useSubordinates<Expanded<MemoryModule>>(partOf(system, (of) => of.Memory))
  const storage = useSubordinates<Expanded<StorageTree>>(
    partOf(system, (of) => of.Storage),
    3
  )
  const members = <T>({ Members }: Expanded<T>) => Members
  return [
    group(
      'enclosure',
      0,
      partOf(chassis, (of) => [of]),
      () => ''
    ),
    group(
      'boards',
      1,
      partOf(boards, (of) => of.Assemblies),
      ({ PhysicalContext }) => labelOf(PhysicalContext)
    ),
    group(
      'powerSupplies',
      1,
      partOf(power, (of) => of.PowerSupplies?.Members),
      supplyDetail
    ),
    group(
      'batteries',
      1,
      partOf(power, (of) => of.Batteries?.Members),
      ({ CapacityRatedWattHours: capacity }) => (capacity == null ? '' : quantity(capacity, 'Wh'))
    ),
    group(
      'fans',
      1,
      partOf(cooling, (of) => of.Fans?.Members),
      ({ SpeedPercent }) => (SpeedPercent?.Reading == null ? '' : `${SpeedPercent.Reading} %`)
    ),
    group('pcieDevices', 1, partOf(cards, members), ({ PCIeInterface: bus }) =>
      [labelOf(bus?.PCIeType), bus?.LanesInUse && `×${bus.LanesInUse}`].filter(Boolean).join(' ')
    ),
    group('networkAdapters', 1, partOf(adapters, members), () => ''),
    group(
      'networkPorts',
      2,
      // Ports are numbered in their adapter.
      partOf(adapters, ({ Members }) =>
        Members.flatMap(({ Name, Ports }) => (Ports?.Members ?? []).map((each) => ({ DeviceLocator: Name, ...each })))
      ),
      ({ CurrentSpeedGbps: speed, LinkStatus }) =>
        [labelOf(LinkStatus), speed && `${speed} Gb/s`].filter(Boolean).join(', ')
    ),
    group('trustedComponents', 1, partOf(trusted, members), ({ TrustedComponentType: type }) => labelOf(type)),
    group(
      'system',
      0,
      // Its lamp is that of the enclosure.
      partOf(system, ({ LocationIndicatorActive: _, ...of }) => [of]),
      () => ''
    ),
    group('processors', 1, partOf(processors, members), ({ TotalCores, MaxSpeedMHz }) =>
      [TotalCores && `${TotalCores} ×`, MaxSpeedMHz && quantity(MaxSpeedMHz / 1000, 'GHz')].filter(Boolean).join(' ')
    ),
    group('memory', 1, partOf(memory, members), ({ CapacityMiB, MemoryDeviceType, OperatingSpeedMhz }) =>
      [
        CapacityMiB && quantity(CapacityMiB / 1024, 'GiB'),
        labelOf(MemoryDeviceType),
        OperatingSpeedMhz && quantity(OperatingSpeedMhz, 'MHz')
      ]
        .filter(Boolean)
        .join(', ')
    ),
    group(
      'storageControllers',
      1,
      partOf(storage, ({ Members }) => Members.flatMap(({ Controllers }) => Controllers?.Members ?? [])),
      () => ''
    ),
    group(
      'drives',
      2,
      partOf(storage, ({ Members }) => Members.flatMap(({ Drives }) => Drives ?? [])),
      ({ CapacityBytes, MediaType, Protocol }) =>
        [CapacityBytes != null && sizeText(CapacityBytes, locale.value), labelOf(MediaType), labelOf(Protocol)]
          .filter(Boolean)
          .join(', ')
    ),
    group(
      'volumes',
      2,
      partOf(storage, ({ Members }) => Members.flatMap(({ Volumes }) => Volumes?.Members ?? [])),
      ({ CapacityBytes, RAIDType }) =>
        [CapacityBytes != null && sizeText(CapacityBytes, locale.value), labelOf(RAIDType)].filter(Boolean).join(', ')
    )
  ]
}

function supplyDetail({ PowerCapacityWatts, PowerSupplyType }: PowerSupply): string {
  return [PowerCapacityWatts && quantity(PowerCapacityWatts, 'W'), labelOf(PowerSupplyType)].filter(Boolean).join(', ')
}

/** A resource with what is below it, down to a number of levels. */
function useSubordinates<T>(link: Known<Link>, levels = 1): Known<T> {
  const options = levels === 1 ? '' : `($levels=${levels})`
  return useResource<T>(partOf(link, ({ '@odata.id': uri }) => `${uri}?$expand=.${options}`))
}

function group<T extends PartResource>(
  word: Word,
  level: Group['level'],
  resources: Known<readonly T[]>,
  detail: (resource: T) => string
): Group {
  const parts = partOf(resources, (all) => all.filter(isPresent).map((each) => partFrom(each, detail(each))))
  return { word, level, parts: parts.state === 'there' && parts.value.length === 0 ? absent : parts }
}
