import { done, type Exists, object, type Post } from '#runtime/contract'

export const body = object({})

export const exists: Exists<'ComputerSystemId'> = ({ params, machine }) => machine.hasBreak(params.ComputerSystemId)

export const privileges = { POST: 'RemoteConsolePriv' } as const

/** A break on the serial line: Linux takes the next byte of the console for a command of SysRq. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  return done([{ kind: 'sendBreak', system }])
}
