/** A message of a registry as an answer has it (DSP0268, Message); in the compact profile without texts. */
export interface ShownMessage {
  readonly MessageId: string
  readonly MessageArgs?: readonly string[]
  readonly RelatedProperties?: readonly string[]
  readonly Message?: string
  readonly Resolution?: string
  readonly MessageSeverity?: string
}

/** The service refused a request, or there was no answer (status 0). */
export class Failure extends Error {
  readonly status: number
  readonly messages: readonly ShownMessage[]

  constructor(status: number, messages: readonly ShownMessage[]) {
    super(messages.map((each) => each.MessageId).join(' ') || String(status))
    this.status = status
    this.messages = messages
  }
}
