import { trustedModuleId } from '#data/chassis'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('ComponentIntegrity')

export const privileges = { GET: 'LoginPriv' } as const

/** The trusted platform modules, one for each system that has one. */
export const GET: Get<typeof schema> = ({ uri, machine }) => {
  const { systems } = machine.board
  const trusted = Object.keys(systems).filter((id) => systems[id]?.trustedModule !== undefined)
  return {
    Name: 'Component integrity',
    ...members(uri, trusted.map(trustedModuleId))
  }
}
