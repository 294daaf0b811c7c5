import type {} from '#runtime/contract'
import type { DeliveryRecord } from './records.ts'

declare module '#runtime/contract' {
  interface Services {
    /** How the delivery to a subscription goes; an answer that reads it is not cached. */
    delivery(subscription: string): DeliveryStatus
  }
}

/** What is wrong with a subscriber: nothing, the last attempt, or all attempts for the last event. */
export type Trouble = 'none' | 'failing' | 'unreachable'

/** How the delivery to one subscriber goes. */
export interface DeliveryStatus extends DeliveryRecord {
  readonly queued: number
  readonly trouble: Trouble
}
