import type { GetConsole } from '#runtime/contract'

export const privileges = { GET: 'RemoteConsolePriv' } as const

/** Its last output as bytes; and to a client that asks for a WebSocket, the console itself. */
export const GET: GetConsole<'ComputerSystemId'> = ({ params, machine }) => {
  machine.system(params.ComputerSystemId)
  return { console: params.ComputerSystemId }
}
