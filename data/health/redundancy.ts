import { integer, references, status } from '#data/resource'
import { type Context, list, object } from '#runtime/contract'

/** Groups of parts that spare one another (DSP0268, Redundancy.RedundantGroup). */
export const redundancyGroups = list(
  object({
    MaxSupportedInGroup: integer,
    MinNeededInGroup: integer,
    RedundancyGroup: references,
    RedundancyType: { type: 'string', enum: ['NPlusM'], nullable: true, readonly: true },
    Status: status
  })
)

/** Two parts of a subsystem or more: one of them may fail. */
export function showRedundancy(health: Context['health'], subsystem: string, parts: readonly string[]) {
  if (parts.length < 2) return []
  return [
    {
      MaxSupportedInGroup: parts.length,
      MinNeededInGroup: parts.length - 1,
      RedundancyGroup: parts.map((part) => ({ '@odata.id': `${part}/` })),
      RedundancyType: 'NPlusM',
      Status: health(subsystem)
    }
  ] as const
}
