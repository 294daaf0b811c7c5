import type { System } from '../types.ts'

type Status = NonNullable<System['Status']>

/** The health of several things together, and what is wrong with them. */
export interface Health {
  /** The worst; undefined where nothing is known. */
  readonly worst: string | undefined
  readonly causes: NonNullable<Status['Conditions']>
}

const order = ['OK', 'Warning', 'Critical']

/** How bad a health is; -1 for one that is unknown. */
export const severityOf = (health: string | null | undefined) => order.indexOf(health ?? '')

/** The worst health of some statuses with their conditions; one that several report is there once. */
export function healthOf(statuses: readonly (Status | null | undefined)[]): Health {
  const known = statuses.flatMap((status) => status?.HealthRollup ?? status?.Health ?? [])
  const worst = known.reduce<string | undefined>(
    (so, each) => (severityOf(each) > severityOf(so) ? each : so),
    undefined
  )
  const causes = new Map(
    statuses
      .flatMap((status) => status?.Conditions ?? [])
      .map((each) => [`${each.OriginOfCondition?.['@odata.id']} ${each.MessageId} ${each.MessageArgs}`, each])
  )
  return { worst, causes: [...causes.values()] }
}
