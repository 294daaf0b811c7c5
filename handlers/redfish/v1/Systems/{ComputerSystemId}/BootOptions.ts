import { bootOptions } from '#data/boot'
import { collection } from '#data/resource'
import { ofVariables } from '#data/variables'
import { type Get, members } from '#runtime/contract'

export const schema = collection('BootOption')

export const exists = ofVariables

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine }) => {
  machine.system(params.ComputerSystemId)
  return {
    Name: 'Boot options',
    ...members(
      uri,
      bootOptions(machine, params.ComputerSystemId).map((each) => each.reference)
    )
  }
}
