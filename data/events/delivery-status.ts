import type {} from '#runtime/contract'
import type { DeliveryRecord } from './records.ts'

declare module '#runtime/contract' {
  interface Services {
    /** The state of the delivery to a subscription; an answer that reads it is not cached. */
    delivery(subscription: string): DeliveryStatus
  }
}

/** The health of a subscriber: sound; its last attempt failed; or all attempts for the last event failed. */
type Trouble = 'none' | 'failing' | 'unreachable'

/** The state of the delivery to one subscriber. */
export interface DeliveryStatus extends DeliveryRecord {
  readonly queued: number
  readonly trouble: Trouble
}
