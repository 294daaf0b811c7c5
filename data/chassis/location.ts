import { type Infer, object } from '#runtime/schema'

const label = { type: 'string', maxLength: 64, nullable: true, readonly: false } as const

/** `RackOffsetUnits` (DSP0268, Resource.Location): the units of EIA-310 or of Open Rack. */
const rackUnits = ['EIA_310', 'OpenU'] as const

/** Where a chassis is: null where a client removed what it was. */
export interface Place {
  rack?: string | null
  /** The number of the lowest unit of the rack that it takes. */
  offset?: number | null
  units?: (typeof rackUnits)[number] | null
  row?: string | null
  /** On a label at the place. */
  serviceLabel?: string | null
}

/** The place of a chassis, which those who put it there say. */
export const place = object({
  PartLocation: object({ ServiceLabel: label }),
  Placement: object({
    Rack: label,
    RackOffset: { type: 'integer', minimum: 0, maximum: 255, nullable: true, readonly: false },
    RackOffsetUnits: { type: 'string', enum: rackUnits, nullable: true, readonly: false },
    Row: label
  })
})

/** @param own the label that the place has as long as clients set no other one */
export function showPlace({ rack, offset, units, row, serviceLabel }: Place = {}, own?: string) {
  return {
    PartLocation: { ServiceLabel: (serviceLabel === undefined ? own : serviceLabel) ?? null },
    Placement: { Rack: rack ?? null, RackOffset: offset ?? null, RackOffsetUnits: units ?? null, Row: row ?? null }
  }
}

/** The place after a change: what the change does not name stays, and null removes. */
export function changedPlace(present: Place = {}, { PartLocation, Placement }: Partial<Infer<typeof place>>): Place {
  const { Rack, RackOffset, RackOffsetUnits, Row } = Placement ?? {}
  const wanted = {
    rack: Rack,
    offset: RackOffset,
    units: RackOffsetUnits,
    row: Row,
    serviceLabel: PartLocation?.ServiceLabel
  }
  const named = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return { ...present, ...Object.fromEntries(named) }
}
