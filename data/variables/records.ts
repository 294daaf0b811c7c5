import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** UEFI variables as they are to be, until the firmware's store has them: by `<system>/<guid>/<name>`. */
    variable: WantedVariable
  }
}

table('variable', { survives: ['restart', 'restStateReset', 'factoryReset'] })

/** A change to a UEFI variable that waits for the host to be held. */
export interface WantedVariable {
  attributes: number
  /** Hex digits; `null` where the variable is to go. */
  data: string | null
  /** Of `BootOrder`: hex digits of the options among it that clients have put in; the others were there already. */
  added?: string
}
