import { type GetConsole, notFound } from '#runtime/contract'

export const privileges = { GET: 'RemoteConsolePriv' } as const

/** The console of the first system, where OpenBMC's clients look for it. */
export const GET: GetConsole = ({ machine }) => ({ console: Object.keys(machine.board.systems)[0] ?? notFound() })
