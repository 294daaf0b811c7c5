import { severityOf } from './health.ts'

/** The common properties of parts; not every kind has all of them. */
export interface PartResource {
  readonly '@odata.id': string
  readonly Id?: string | null | undefined
  readonly Name?: string | null | undefined
  readonly Manufacturer?: string | null | undefined
  readonly Producer?: string | null | undefined
  readonly Model?: string | null | undefined
  readonly PartNumber?: string | null | undefined
  readonly SparePartNumber?: string | null | undefined
  readonly SerialNumber?: string | null | undefined
  readonly SKU?: string | null | undefined
  readonly FirmwareVersion?: string | null | undefined
  readonly Revision?: string | null | undefined
  readonly Version?: string | null | undefined
  readonly DeviceLocator?: string | null | undefined
  readonly Socket?: string | null | undefined
  readonly Location?: Place | null | undefined
  readonly PhysicalLocation?: Place | null | undefined
  readonly Slot?: { readonly Location?: Place | null | undefined } | null | undefined
  readonly LocationIndicatorActive?: boolean | null | undefined
  readonly Status?:
    | {
        readonly Health?: string | null | undefined
        readonly HealthRollup?: string | null | undefined
        readonly State?: string | null | undefined
      }
    | null
    | undefined
}

interface Place {
  readonly PartLocation?: { readonly ServiceLabel?: string | null | undefined } | null | undefined
}

/** A part of the machine as the inventory shows it. */
export interface Part {
  readonly uri: string
  readonly name: string
  /** Where it sits, as the machine is labelled. */
  readonly place: string
  /** A summary of its capabilities. */
  readonly detail: string
  readonly model: string
  readonly partNumber: string
  readonly serial: string
  readonly firmware: string
  /** Its health with that of what it contains. */
  readonly health: string | undefined
  /** Its health alone. */
  readonly own: string | undefined
  /** Whether its locator lamp is lit; absent for a part without one. */
  readonly lit: boolean | undefined
}

/** A part from its resource. @param detail what it can do, which each kind says in another way */
export function partFrom(resource: PartResource, detail: string): Part {
  const { Location, PhysicalLocation, Slot, DeviceLocator, Socket, Status } = resource
  const label = [Location, PhysicalLocation, Slot?.Location].find((each) => each?.PartLocation?.ServiceLabel)
  return {
    uri: resource['@odata.id'],
    name: resource.Name ?? resource.Id ?? resource['@odata.id'],
    place: label?.PartLocation?.ServiceLabel ?? DeviceLocator ?? Socket ?? '',
    detail,
    model: [resource.Manufacturer ?? resource.Producer, resource.Model].filter(Boolean).join(' '),
    partNumber: resource.PartNumber ?? resource.SKU ?? '',
    serial: resource.SerialNumber ?? '',
    firmware: resource.FirmwareVersion ?? resource.Revision ?? resource.Version ?? '',
    health: Status?.HealthRollup ?? Status?.Health ?? undefined,
    own: Status?.Health ?? undefined,
    lit: resource.LocationIndicatorActive ?? undefined
  }
}

/** Whether a slot or socket has something in it: what is absent is no part. */
export const isPresent = ({ Status }: PartResource) => Status?.State !== 'Absent'

/** The worst health of some parts; undefined where no part has one. */
export function worstOf(parts: readonly Part[]): string | undefined {
  return parts.reduce<string | undefined>(
    (worst, { health }) => (severityOf(health) > severityOf(worst) ? health : worst),
    undefined
  )
}

/** The parts with a fault of their own, the worst first. */
export function faulty(parts: readonly Part[]): readonly Part[] {
  return parts.filter(({ own }) => severityOf(own) > 0).sort((a, b) => severityOf(b.own) - severityOf(a.own))
}
